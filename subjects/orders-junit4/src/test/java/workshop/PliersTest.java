package workshop;

import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** JUnit 3 within JUnit 4, with names that repeat. */
public class PliersTest extends TestCase {
    public PliersTest(String name) {
        super(name);
    }

    public static Test suite() {
        TestSuite suite = new TestSuite(PliersTest.class);
        suite.addTest(new PliersTest("testGrips"));
        return suite;
    }

    public void testCuts() {
        assertTrue(true);
    }

    public void testGrips() {
        assertTrue(true);
    }
}
