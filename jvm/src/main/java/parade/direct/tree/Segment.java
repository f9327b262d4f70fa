package parade.direct.tree;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import parade.direct.core.Wanted;
import parade.listen.JUnit4Name;
import parade.listen.Occurrences;
import parade.listen.TestCase;

/**
 * Tests of one tree that one pass over it can run in their order: the pass enters no part of the tree twice. A segment knows
 * which tests will run, and finds the test that an event of the framework is about.
 */
public final class Segment {
    private final Tree tree;
    private final Occurrences fixtures;
    private final Map<Node, List<Node>> chosen = new IdentityHashMap<>();
    private final Set<Node> entered = Collections.newSetFromMap(new IdentityHashMap<Node, Boolean>());
    private final Map<Leaf, Wanted> asked = new IdentityHashMap<>();
    private List<Node> lastPath;
    private final List<Leaf> expected = new ArrayList<>();
    private boolean[] seen;
    private int firstUnseen;
    private String lastClass;
    private boolean fixtureFailed;

    public Segment(Tree tree, Occurrences fixtures) {
        this.tree = tree;
        this.fixtures = fixtures;
        lastClass = tree.root;
    }

    /** Adds a test. Returns false if it needs another pass. */
    boolean admit(Leaf leaf, Wanted test) {
        List<Node> path = leaf.path();
        int depth = lastPath == null ? 0 : firstDifference(path);
        if (lastPath != null && (depth == path.size() || !canGoOn(path, depth))) {
            return false;
        }
        for (int i = Math.max(1, depth); i < path.size(); i++) {
            choices(path.get(i - 1)).add(path.get(i));
            entered.add(path.get(i));
        }
        lastPath = path;
        asked.put(leaf, test);
        return true;
    }

    private int firstDifference(List<Node> path) {
        int depth = 0;
        while (depth < path.size() && path.get(depth) == lastPath.get(depth)) {
            depth++;
        }
        return depth;
    }

    /** Can the node above this depth run this child after those that it runs already? */
    private boolean canGoOn(List<Node> path, int depth) {
        Node parent = path.get(depth - 1);
        Node next = path.get(depth);
        if (parent.isFree()) {
            return !entered.contains(next);
        }
        return next.index() > lastPath.get(depth).index();
    }

    private List<Node> choices(Node parent) {
        List<Node> choices = chosen.get(parent);
        if (choices == null) {
            choices = new ArrayList<>();
            chosen.put(parent, choices);
        }
        return choices;
    }

    /** Tells every part of the tree what to run. */
    public void arrange() {
        expected.clear();
        arrange(tree.top);
        seen = new boolean[expected.size()];
    }

    private void arrange(Node node) {
        if (node instanceof Leaf) {
            expected.add((Leaf) node);
        } else if (node.isFree()) {
            List<Node> choices = choices(node);
            node.arrange(choices);
            for (Node choice : choices) {
                arrange(choice);
            }
        } else {
            for (Node child : node.children()) {
                arrange(child);
            }
        }
    }

    /** The chosen children of each node. */
    public Map<Node, List<Node>> choices() {
        return chosen;
    }

    /** The leaves that will run. */
    public List<Leaf> expected() {
        return expected;
    }

    /** Restores the tree. */
    void release() {
        for (Map.Entry<Node, List<Node>> entry : chosen.entrySet()) {
            if (entry.getKey().isFree()) {
                entry.getKey().arrange(entry.getKey().children());
            }
        }
    }

    /** Which test is this, by the name that the framework gives it? */
    public synchronized TestCase identify(String text) {
        int index = find(text);
        if (index >= 0) {
            return answer(index);
        }
        JUnit4Name name = JUnit4Name.parse(text);
        passOver(text);
        if (name != null) {
            return new TestCase(name.className, name.plain(), 1, name.full, tree.root);
        }
        String className = text.startsWith("[") ? lastClass : text;
        int occurrence = fixtures.take(className, TestCase.WHOLE_CLASS, null);
        return new TestCase(className, TestCase.WHOLE_CLASS, occurrence, text, tree.root);
    }

    /** A part of the tree that was to come next failed as a whole: none of its tests will run. */
    private void passOver(String label) {
        fixtureFailed = true;
        Node part = firstUnseen < seen.length ? expected.get(firstUnseen) : null;
        while (part != null && !label.equals(part.label())) {
            part = part.parent();
        }
        for (int i = firstUnseen; part != null && i < seen.length && expected.get(i).isWithin(part); i++) {
            answer(i);
        }
    }

    private TestCase answer(int index) {
        Leaf leaf = expected.get(index);
        seen[index] = true;
        while (firstUnseen < seen.length && seen[firstUnseen]) {
            firstUnseen++;
        }
        lastClass = leaf.className;
        Wanted test = asked.get(leaf);
        TestCase testCase = leaf.testCase(tree.root);
        if (test == null) {
            return testCase;
        }
        test.settle();
        return testCase.answering(test.number);
    }

    /** The first unseen test with this text or, if the text has changed since it was planned, with this class and name. */
    private int find(String text) {
        for (int i = firstUnseen; i < seen.length; i++) {
            if (!seen[i] && expected.get(i).text.equals(text)) {
                return i;
            }
        }
        Leaf like = Leaf.ofJUnit4(text);
        for (int i = firstUnseen; i < seen.length; i++) {
            if (!seen[i] && expected.get(i).key().equals(like.key())) {
                return i;
            }
        }
        return -1;
    }

    /** Tests that a failed fixture kept from running are answered by that failure. */
    void excuse() {
        if (fixtureFailed) {
            for (Wanted test : asked.values()) {
                test.settle();
            }
        }
    }
}
