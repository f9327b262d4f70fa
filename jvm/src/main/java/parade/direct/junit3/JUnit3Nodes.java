package parade.direct.junit3;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Vector;

import junit.extensions.RepeatedTest;
import junit.extensions.TestDecorator;
import junit.framework.Test;
import junit.framework.TestSuite;

import parade.direct.core.Inside;
import parade.direct.tree.Leaf;
import parade.direct.tree.Node;

/**
 * The tree that JUnit 3 makes of a class: suites, decorators around them, and tests. Suites are changed in place, so that
 * decorators and suites with a set-up keep it for the chosen tests.
 */
public class JUnit3Nodes {
    private static final Field TESTS = Inside.field(TestSuite.class, "fTests");
    private static final Field TIMES = Inside.field(RepeatedTest.class, "fTimesRepeat");

    /** Of a test that is neither a suite nor a decorator. */
    protected Node leaf(Test test) throws Throwable {
        return Leaf.ofJUnit3(test.toString());
    }

    /** How a failure to set up is reported. */
    protected String label(TestDecorator decorator) {
        return decorator.getClass().getName();
    }

    public final Node node(Test test) throws Throwable {
        if (test instanceof TestSuite) {
            return suite((TestSuite) test);
        }
        if (test instanceof TestDecorator) {
            return decorator((TestDecorator) test);
        }
        return leaf(test);
    }

    private Node suite(TestSuite suite) throws Throwable {
        Node node = TESTS == null ? new Node.Fixed() : new Suite(suite);
        for (int i = 0; i < suite.testCount(); i++) {
            node.add(node(suite.testAt(i)));
        }
        return node;
    }

    private Node decorator(TestDecorator decorator) throws Throwable {
        Node inner = node(decorator.getTest());
        int once = decorator.getTest().countTestCases();
        int times = once == 0 ? 1 : decorator.countTestCases() / once;
        if (times <= 1) {
            Node wrapper = new Node.Fixed();
            wrapper.label(label(decorator));
            wrapper.add(inner);
            return wrapper;
        }
        boolean free = TIMES != null && decorator.getClass() == RepeatedTest.class && inner instanceof Leaf;
        Node repeated = free ? new Repeated(decorator) : new Node.Fixed();
        for (int i = 0; i < times; i++) {
            copyLeaves(node(decorator.getTest()), repeated);
        }
        return repeated;
    }

    private static void copyLeaves(Node from, Node to) {
        if (from instanceof Leaf) {
            to.add(from);
        }
        for (Node child : from.children()) {
            copyLeaves(child, to);
        }
    }

    private static final class Repeated extends Node {
        private final TestDecorator decorator;

        Repeated(TestDecorator decorator) {
            this.decorator = decorator;
        }

        @Override
        protected boolean isFree() {
            return true;
        }

        @Override
        protected void arrange(List<Node> chosen) {
            Inside.set(TIMES, decorator, chosen.size());
        }
    }

    private static final class Suite extends Node {
        private final TestSuite suite;
        private final Vector<Object> tests = new Vector<>();

        Suite(TestSuite suite) {
            this.suite = suite;
            for (int i = 0; i < suite.testCount(); i++) {
                tests.add(suite.testAt(i));
            }
        }

        @Override
        protected boolean isFree() {
            return true;
        }

        @Override
        protected void arrange(List<Node> chosen) {
            Vector<Object> arranged = new Vector<>();
            for (Node child : chosen) {
                arranged.add(tests.get(child.index()));
            }
            Inside.set(TESTS, suite, arranged);
        }
    }
}
