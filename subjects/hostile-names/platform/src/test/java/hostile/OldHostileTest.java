package hostile;

import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** A JUnit 3 suite whose tests name themselves. */
public class OldHostileTest extends TestCase {
    private OldHostileTest(String name) {
        super(name);
    }

    public static Test suite() {
        TestSuite suite = new TestSuite("hostile");
        for (String name : Names.HOSTILE) {
            suite.addTest(new OldHostileTest(name));
        }
        return suite;
    }

    @Override
    protected void runTest() {
        assertFalse(getName().isEmpty());
    }
}
