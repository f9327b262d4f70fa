package harbour;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class BergenTest {
    /** Passes only once the other class has opened the harbour. */
    @Test
    public void letsShipsIn() {
        assertTrue(Harbour.isOpen());
    }
}
