package parade.direct.tree;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import parade.direct.core.Wanted;

/** All that JUnit 3 or 4 would run for one class. */
public final class Tree {
    public final String root;
    public final Node top;
    private boolean spent;
    /** In the framework's own order. */
    final List<Leaf> leaves = new ArrayList<>();
    private final Map<String, List<Leaf>> byName = new HashMap<>();

    Tree(String root, Node top) {
        this.root = root;
        this.top = top;
        gather(top);
    }

    /** A pass over it changed it for ever, so it must be built again. */
    public void spend() {
        spent = true;
    }

    boolean isSpent() {
        return spent;
    }

    private void gather(Node node) {
        if (node instanceof Leaf) {
            Leaf leaf = (Leaf) node;
            List<Leaf> equals = byName.get(leaf.key());
            if (equals == null) {
                equals = new ArrayList<>();
                byName.put(leaf.key(), equals);
            }
            equals.add(leaf);
            leaf.occurrence = equals.size();
            leaves.add(leaf);
        }
        for (Node child : node.children()) {
            gather(child);
        }
    }

    /** Returns null if there is no such test. */
    Leaf find(Wanted test) {
        List<Leaf> equals = byName.get(test.className + '\0' + test.name);
        boolean there = equals != null && test.occurrence >= 1 && test.occurrence <= equals.size();
        return there ? equals.get(test.occurrence - 1) : null;
    }
}
