package harbour;

import junit.framework.TestCase;

/** Knows whether it is under power: the suite's decorator must have been around it, and around nothing else. */
public class CraneCheck extends TestCase {
    static boolean powered;

    private final boolean expectsPower;

    public CraneCheck(String name) {
        this(name, false);
    }

    CraneCheck(String name, boolean expectsPower) {
        super(name);
        this.expectsPower = expectsPower;
    }

    public void testLifts() {
        assertEquals(expectsPower, powered);
    }

    public void testLowers() {
        assertEquals(expectsPower, powered);
    }
}
