package parade.direct.tree;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import parade.direct.core.Events;
import parade.direct.core.Framework;
import parade.direct.core.Wanted;
import parade.listen.EventLog;
import parade.listen.Occurrences;

/**
 * JUnit 3 and 4. A class becomes a tree, which is kept for the whole order, as Maven would build it once. Consecutive tests
 * of one class are one pass over its tree, so that class fixtures run once. If the order enters a part of the tree again,
 * that is another pass.
 */
public abstract class TreeFramework implements Framework {
    protected final ClassLoader loader;
    private final Map<String, Tree> trees = new HashMap<>();
    private final Occurrences fixtures = new Occurrences();

    protected TreeFramework(ClassLoader loader) {
        this.loader = loader;
    }

    /** Builds the nodes of everything that would run for a class. */
    protected abstract Node buildNodes(Class<?> root) throws Throwable;

    /** Runs what is arranged. Throws what the framework lets through. */
    protected abstract void run(Tree tree, Segment segment) throws Throwable;

    @Override
    public void list(String root) {
        try {
            for (Leaf leaf : buildTree(root).leaves) {
                Events.listed(root, leaf.testCase(root));
            }
        } catch (Throwable error) {
            Events.unlisted(root, Events.describe(error));
        }
    }

    @Override
    public void run(List<Wanted> tests) {
        int next = 0;
        while (next < tests.size()) {
            next = runSegment(tests, next);
        }
    }

    @Override
    public void close() {
        trees.clear();
    }

    /** Runs as many tests as one pass can, from one on; returns where to go on. */
    private int runSegment(List<Wanted> tests, int from) {
        Wanted first = tests.get(from);
        Tree tree;
        Segment segment;
        int to = from;
        try {
            tree = tree(first.root);
            segment = new Segment(tree, fixtures);
            while (to < tests.size() && tests.get(to).root.equals(first.root) && take(tree, segment, tests.get(to))) {
                to++;
            }
        } catch (Throwable error) {
            first.refuse(Events.describe(error));
            return from + 1;
        }
        run(tree, segment, tests.subList(from, to));
        return firstUnsettled(tests, from, to);
    }

    /** A test that does not exist is refused, and counts as added. */
    private boolean take(Tree tree, Segment segment, Wanted test) throws Throwable {
        Leaf leaf = tree.find(test);
        if (leaf == null) {
            test.refuse(tree.root + " has no test " + test.describe() + reasonFor(tree));
            return true;
        }
        return segment.admit(leaf, test);
    }

    private void run(Tree tree, Segment segment, List<Wanted> tests) {
        String reason = "it did not run when its class was run";
        boolean interrupted = false;
        try {
            segment.arrange();
            if (!segment.expected().isEmpty()) {
                run(tree, segment);
            }
        } catch (Throwable error) {
            reason = Events.describe(error);
            interrupted = true;
        } finally {
            segment.release();
            EventLog.get().settle();
        }
        if (tree.isSpent()) {
            trees.remove(tree.root);
        }
        segment.excuse();
        // One test made the framework fail, and the others are run again. If none has begun, all are refused.
        if (!interrupted || !anySettled(tests)) {
            for (Wanted test : tests) {
                test.refuse(reason);
            }
        }
    }

    private static boolean anySettled(List<Wanted> tests) {
        for (Wanted test : tests) {
            if (test.isSettled()) {
                return true;
            }
        }
        return false;
    }

    private static int firstUnsettled(List<Wanted> tests, int from, int to) {
        int next = from;
        while (next < to && tests.get(next).isSettled()) {
            next++;
        }
        return next;
    }

    private Tree tree(String root) throws Throwable {
        Tree tree = trees.get(root);
        if (tree == null) {
            tree = buildTree(root);
            trees.put(root, tree);
        }
        return tree;
    }

    private Tree buildTree(String root) throws Throwable {
        return new Tree(root, buildNodes(Class.forName(root, false, loader)));
    }

    /** Why a tree may lack a test that it had before. */
    protected String reasonFor(Tree tree) throws Throwable {
        return "";
    }
}
