package parade.direct;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All that JUnit 3 or 4 would run for one class. */
final class Tree {
    final String root;
    final Node top;
    /** Was it changed for good by a pass over it? */
    boolean spent;
    /** In the framework's own order. */
    final List<Leaf> leaves = new ArrayList<>();
    private final Map<String, List<Leaf>> byName = new HashMap<>();

    Tree(String root, Node top) {
        this.root = root;
        this.top = top;
        gather(top);
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
        for (Node child : node.children) {
            gather(child);
        }
    }

    /** Null where it has none such. */
    Leaf find(Wanted test) {
        List<Leaf> equals = byName.get(test.className + '\0' + test.name);
        boolean there = equals != null && test.occurrence >= 1 && test.occurrence <= equals.size();
        return there ? equals.get(test.occurrence - 1) : null;
    }
}
