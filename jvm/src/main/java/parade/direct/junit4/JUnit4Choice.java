package parade.direct.junit4;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.manipulation.Sorter;
import org.junit.runners.ParentRunner;

import parade.direct.tree.Leaf;
import parade.direct.tree.Node;
import parade.direct.tree.Segment;
import parade.direct.tree.Tree;

/**
 * Chooses and sorts tests with JUnit's own filters and sorters. They are needed for runners whose children cannot be set:
 * those of JUnit before 4.10, and those that are not JUnit's own. Filters compare names. A filtered runner stays filtered,
 * so its tree is built again.
 */
final class JUnit4Choice extends Filter implements Comparator<Description> {
    private final Map<String, Integer> ranks = new HashMap<>();

    private JUnit4Choice() {}

    static void apply(Tree tree, Segment segment) throws NoTestsRemainException {
        for (Map.Entry<Node, List<Node>> entry : segment.choices().entrySet()) {
            Node node = entry.getKey();
            if (node instanceof JUnit4Nodes.Opaque && entry.getValue().size() < node.children().size()) {
                filter(tree, ((JUnit4Nodes.Opaque) node).runner, entry.getValue());
            }
            boolean topmost = node instanceof JUnit4Nodes.Parent && !(node.parent() instanceof JUnit4Nodes.Parent);
            if (topmost && JUnit4Nodes.CHILDREN == null) {
                filterAndSort(((JUnit4Nodes.Parent) node).runner, node, segment);
                tree.spend();
            }
        }
    }

    private static void filter(Tree tree, Runner runner, List<Node> leaves) throws NoTestsRemainException {
        if (!(runner instanceof Filterable)) {
            return;
        }
        JUnit4Choice choice = new JUnit4Choice();
        for (Node leaf : leaves) {
            choice.choose((Leaf) leaf);
        }
        ((Filterable) runner).filter(choice);
        tree.spend();
    }

    private static void filterAndSort(ParentRunner<?> runner, Node node, Segment segment) throws NoTestsRemainException {
        JUnit4Choice choice = new JUnit4Choice();
        for (Leaf leaf : segment.expected()) {
            if (leaf.isWithin(node)) {
                choice.choose(leaf);
            }
        }
        runner.filter(choice);
        runner.sort(new Sorter(choice));
    }

    private void choose(Leaf leaf) {
        if (!ranks.containsKey(leaf.text)) {
            ranks.put(leaf.text, ranks.size());
        }
    }

    @Override
    public boolean shouldRun(Description description) {
        return rank(description) < Integer.MAX_VALUE;
    }

    @Override
    public String describe() {
        return "the requested tests";
    }

    @Override
    public int compare(Description left, Description right) {
        return Integer.compare(rank(left), rank(right));
    }

    private int rank(Description description) {
        Integer own = description.isTest() ? ranks.get(description.getDisplayName()) : null;
        int rank = own == null ? Integer.MAX_VALUE : own;
        for (Description child : description.getChildren()) {
            rank = Math.min(rank, rank(child));
        }
        return rank;
    }
}
