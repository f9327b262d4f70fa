package parade.direct.junit4;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import junit.extensions.TestDecorator;
import junit.framework.JUnit4TestAdapter;
import junit.framework.Test;
import junit.framework.TestCase;
import org.junit.Ignore;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Describable;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runners.ParentRunner;

import parade.direct.core.Inside;
import parade.direct.core.TestThreads;
import parade.direct.junit3.JUnit3Nodes;
import parade.direct.tree.Leaf;
import parade.direct.tree.Node;

/** The tree that JUnit 4 makes of a class: runners, and below them methods or suites of JUnit 3. */
final class JUnit4Nodes extends JUnit3Nodes {
    /** Null before 4.10, where a runner asks its filter and sorter each time. */
    static final Field CHILDREN = Inside.field(ParentRunner.class, "filteredChildren", "fFilteredChildren");
    private static final Method GET_CHILDREN = Inside.method(ParentRunner.class, "getFilteredChildren");
    private static final Method DESCRIBE = Inside.method(ParentRunner.class, "describeChild", Object.class);
    private static final Method GET_TEST = Inside.method(JUnit38ClassRunner.class, "getTest");
    private static final Field ADAPTED = Inside.field(JUnit4TestAdapter.class, "fRunner", "runner");

    /** Is the runner within a suite of JUnit 3? There, ignored tests are never reported. */
    private boolean adapted;

    Node runner(Runner runner) throws Throwable {
        if (runner instanceof ParentRunner) {
            return parent((ParentRunner<?>) runner);
        }
        if (runner instanceof JUnit38ClassRunner) {
            return node((Test) Inside.call(GET_TEST, runner));
        }
        return described(runner.getDescription(), new Opaque(runner));
    }

    /** A suite of JUnit 3 can hold classes of JUnit 4. */
    @Override
    protected Node leaf(Test test) throws Throwable {
        if (test instanceof JUnit4TestAdapter && ADAPTED != null) {
            adapted = true;
            Node node = runner((Runner) ADAPTED.get(test));
            adapted = false;
            return node;
        }
        if (test instanceof Describable) {
            return described(((Describable) test).getDescription(), new Node.Fixed());
        }
        Object name = test instanceof TestCase ? ((TestCase) test).getName() : test;
        return Leaf.ofJUnit4(name + "(" + test.getClass().getName() + ")");
    }

    @Override
    protected String label(TestDecorator decorator) {
        return decorator + "(" + decorator.getClass().getName() + ")";
    }

    private Node parent(ParentRunner<?> runner) throws Throwable {
        Collection<?> children = (Collection<?>) Inside.call(GET_CHILDREN, runner);
        Parent node = new Parent(runner);
        node.label(runner.getDescription().getDisplayName());
        for (Object child : children) {
            Node made = child instanceof Runner
                ? runner((Runner) child)
                : method((Description) Inside.call(DESCRIBE, runner, child));
            if (made != null) {
                node.add(made);
                node.objects.add(child);
            }
        }
        return node;
    }

    /** Other people's runners can describe a method with parameters as several tests, and run it as one child. */
    private Node method(Description description) {
        if (adapted && description.getAnnotation(Ignore.class) != null) {
            return null;
        }
        return description.isTest() ? Leaf.ofJUnit4(description.getDisplayName()) : described(description, new Node.Fixed());
    }

    private static Node described(Description description, Node node) {
        if (description.isTest()) {
            node.add(Leaf.ofJUnit4(description.getDisplayName()));
        }
        for (Description child : description.getChildren()) {
            described(child, node);
        }
        return node;
    }

    /** A runner that is not one of JUnit's own. Its tests are known, and it may be filterable. */
    static final class Opaque extends Node {
        final Runner runner;

        Opaque(Runner runner) {
            this.runner = runner;
        }
    }

    static final class Parent extends Node {
        final ParentRunner<?> runner;
        final List<Object> objects = new ArrayList<>();

        Parent(ParentRunner<?> runner) {
            this.runner = runner;
        }

        /** Makes its methods run on the threads of an order. It waits for them. */
        void spread(TestThreads threads) {
            if (!objects.isEmpty() && !(objects.get(0) instanceof Runner)) {
                runner.setScheduler(new ThreadScheduler(threads));
            }
        }

        @Override
        protected boolean isFree() {
            return true;
        }

        @Override
        protected void arrange(List<Node> chosen) {
            if (CHILDREN == null) {
                return;
            }
            List<Object> arranged = new ArrayList<>();
            for (Node child : chosen) {
                arranged.add(objects.get(child.index()));
            }
            Inside.set(CHILDREN, runner, arranged);
        }
    }
}
