package parade.direct.tree;

import parade.listen.JUnit4Name;
import parade.listen.TestCase;

/** A test, as the framework calls it and as parade does. */
public final class Leaf extends Node {
    /** What the framework will call it when it runs. */
    public final String text;
    final String className;
    final String name;
    private final String display;
    /** Among the leaves of the tree that share class and name, from 1 on. */
    int occurrence = 1;

    private Leaf(String text, String className, String name, String display) {
        this.text = text;
        this.className = className;
        this.name = name;
        this.display = display;
    }

    /** As the listener reads what JUnit 4 calls a test. */
    public static Leaf ofJUnit4(String text) {
        JUnit4Name parsed = JUnit4Name.parse(text);
        if (parsed == null) {
            return new Leaf(text, text, TestCase.WHOLE_CLASS, text);
        }
        return new Leaf(text, parsed.className, parsed.plain(), parsed.full);
    }

    /** Reads a test as Surefire's report does, which is the only record of JUnit 3 tests: from the test's own text. */
    public static Leaf ofJUnit3(String text) {
        int open = text.lastIndexOf('(');
        String className = open >= 0 && text.endsWith(")") ? text.substring(open + 1, text.length() - 1) : text;
        String name = open >= 0 ? text.substring(0, open) : "unknown";
        return new Leaf(text, className, name, name);
    }

    String key() {
        return className + '\0' + name;
    }

    TestCase testCase(String root) {
        return new TestCase(className, name, occurrence, display, root);
    }
}
