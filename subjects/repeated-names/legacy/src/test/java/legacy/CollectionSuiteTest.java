package legacy;

import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** The same checks for two kinds of collection: every name comes twice, and one of them three times. */
public class CollectionSuiteTest extends TestCase {
    private final java.util.Collection<String> collection;

    public CollectionSuiteTest(String name, java.util.Collection<String> collection) {
        super(name);
        this.collection = collection;
    }

    public static Test suite() {
        TestSuite suite = new TestSuite("collections");
        suite.addTest(checks("lists", new java.util.ArrayList<>()));
        suite.addTest(checks("sets", new java.util.HashSet<>()));
        suite.addTest(new CollectionSuiteTest("testEmpty", new java.util.ArrayDeque<>()));
        return suite;
    }

    private static TestSuite checks(String name, java.util.Collection<String> collection) {
        TestSuite suite = new TestSuite(name);
        suite.addTest(new CollectionSuiteTest("testEmpty", collection));
        suite.addTest(new CollectionSuiteTest("testSize", collection));
        return suite;
    }

    public void testEmpty() {
        assertTrue(collection.isEmpty());
    }

    public void testSize() {
        assertEquals(0, collection.size());
    }
}
