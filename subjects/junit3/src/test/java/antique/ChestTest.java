package antique;

import junit.framework.TestCase;

public class ChestTest extends TestCase {
    public void testIsEmpty() {
        assertEquals(0, new Object[0].length);
    }
}
