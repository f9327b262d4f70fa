package antique;

import junit.framework.TestCase;

public class ClockTest extends TestCase {
    private int hour;

    protected void setUp() {
        hour = 12;
    }

    public void testStrikes() {
        assertEquals(12, hour);
    }

    public void testGoesOn() {
        assertEquals(1, (hour + 1) % 12);
    }
}
