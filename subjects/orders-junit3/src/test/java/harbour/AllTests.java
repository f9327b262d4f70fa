package harbour;

import junit.extensions.RepeatedTest;
import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestSuite;

/** The same names several times: plain, under power, and repeated. */
public final class AllTests {
    private AllTests() {}

    public static Test suite() {
        TestSuite suite = new TestSuite("the harbour");
        suite.addTestSuite(CraneCheck.class);
        suite.addTest(new TestSetup(powered()) {
            protected void setUp() {
                CraneCheck.powered = true;
            }

            protected void tearDown() {
                CraneCheck.powered = false;
            }
        });
        suite.addTest(new RepeatedTest(new CraneCheck("testLifts"), 2));
        return suite;
    }

    private static TestSuite powered() {
        TestSuite suite = new TestSuite("under power");
        suite.addTest(new CraneCheck("testLifts", true));
        suite.addTest(new CraneCheck("testLowers", true));
        suite.addTest(new CraneCheck("testLifts", true));
        return suite;
    }
}
