package harbour;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class HoornTest {
    @Test
    public void waitsForTheTide() throws InterruptedException {
        assertTrue(Tide.turns(1500));
    }
}
