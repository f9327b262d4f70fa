package attic;

import junit.framework.TestCase;

public class LampTest extends TestCase {
    public void testBurns() {
        assertTrue(true);
    }

    public void testSmokes() {
        assertTrue(true);
    }
}
