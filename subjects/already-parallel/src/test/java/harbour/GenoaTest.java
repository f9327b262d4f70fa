package harbour;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class GenoaTest {
    @Test
    public void waitsForTheTide() throws InterruptedException {
        assertTrue(Tide.turns(1500));
    }
}
