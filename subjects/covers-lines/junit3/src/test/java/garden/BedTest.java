package garden;

import junit.framework.TestCase;

public class BedTest extends TestCase {
    protected void setUp() {
        Bed.dig();
    }

    protected void tearDown() {
        Bed.rake();
    }

    public void testFloods() {
        assertEquals(0, new Bed().water(9));
    }

    public void testWaters() {
        assertEquals(1, new Bed().water(2));
    }
}
