package harbour;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AalborgTest {
    @Test
    public void opens() throws InterruptedException {
        assertTrue(Tide.turns(1500));
        Harbour.open();
    }
}
