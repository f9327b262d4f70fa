package samples;

import junit.extensions.RepeatedTest;
import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** A suite of JUnit 3: two tests, one of them a second time within a decorator, and one that is repeated. */
public class OldSuite {
    public static class Cases extends TestCase {
        public Cases(String name) {
            super(name);
        }

        public void testA() {}

        public void testB() {
            fail("b");
        }
    }

    public static Test suite() {
        TestSuite inner = new TestSuite();
        inner.addTest(new Cases("testA"));
        TestSuite suite = new TestSuite();
        suite.addTest(new Cases("testA"));
        suite.addTest(new Cases("testB"));
        suite.addTest(new TestSetup(inner));
        suite.addTest(new RepeatedTest(new Cases("testB"), 2));
        return suite;
    }
}
