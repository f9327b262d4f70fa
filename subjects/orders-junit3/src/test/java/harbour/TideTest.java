package harbour;

import junit.framework.TestCase;

public class TideTest extends TestCase {
    public void testEbbs() {
        assertTrue(true);
    }

    public void testFlows() {
        assertTrue(true);
    }

    public void testTurns() {
        assertTrue(true);
    }
}
