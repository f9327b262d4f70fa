package parade.direct.tree;

import java.util.ArrayList;
import java.util.List;

/** Part of what JUnit 3 or 4 makes of a class: something that runs its children one after the other, or a leaf. */
public abstract class Node {
    private final List<Node> children = new ArrayList<>();
    private Node parent;
    private int index;
    private String label;

    public final void add(Node child) {
        child.parent = this;
        child.index = children.size();
        children.add(child);
    }

    public final List<Node> children() {
        return children;
    }

    /** Null for the top of a tree. */
    public final Node parent() {
        return parent;
    }

    /** Its place among the children of its parent, from 0 on. */
    public final int index() {
        return index;
    }

    /** What the framework calls it when setting it up fails; null where that is not known. */
    final String label() {
        return label;
    }

    public final void label(String name) {
        label = name;
    }

    /** Is the other node this one, or above it? */
    public final boolean isWithin(Node other) {
        return path().contains(other);
    }

    /** Can it be told which children to run, in which order? Otherwise it runs all of them, as they come. */
    protected boolean isFree() {
        return false;
    }

    /** Makes it run these children and no others. Only of free ones. */
    protected void arrange(List<Node> chosen) {
        throw new UnsupportedOperationException();
    }

    /** The nodes from the top down to this one. */
    final List<Node> path() {
        List<Node> path = parent == null ? new ArrayList<Node>() : parent.path();
        path.add(this);
        return path;
    }

    /** Runs all of its children in their own order, and cannot be told otherwise. */
    public static final class Fixed extends Node {}
}
