package parade.direct;

import java.util.ArrayList;
import java.util.List;

/** Part of what JUnit 3 or 4 makes of a class: something that runs its children one after the other, or a leaf. */
abstract class Node {
    final List<Node> children = new ArrayList<>();
    Node parent;
    /** Among the children of its parent, from 0 on. */
    int index;
    /** What the framework calls it when setting it up fails; null where that cannot be told. */
    String label;

    final void add(Node child) {
        child.parent = this;
        child.index = children.size();
        children.add(child);
    }

    /** Can it be told which children to run, in which order? Otherwise it runs all of them, as they come. */
    boolean isFree() {
        return false;
    }

    /** Makes it run these children and no others. Only of free ones. */
    void arrange(List<Node> chosen) {
        throw new UnsupportedOperationException();
    }

    /** The nodes from the top down to this one. */
    final List<Node> path() {
        List<Node> path = parent == null ? new ArrayList<Node>() : parent.path();
        path.add(this);
        return path;
    }

    /** Runs all of its children in their own order, and cannot be told otherwise. */
    static final class Fixed extends Node {}
}
