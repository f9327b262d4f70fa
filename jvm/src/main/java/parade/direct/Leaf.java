package parade.direct;

import parade.listen.JUnit4Name;
import parade.listen.TestCase;

/** A test, as the framework calls it and as parade does. */
final class Leaf extends Node {
    /** What the framework will call it when it runs. */
    final String text;
    final String className;
    final String name;
    private final String display;
    /** Among the leaves of the tree that share class and name, from 1 on. */
    int occurrence = 1;

    /** With {@code wholeName} the name keeps its parameters: so does Maven's report of JUnit 3 tests, the only record of them. */
    Leaf(String text, boolean wholeName) {
        this.text = text;
        JUnit4Name parsed = JUnit4Name.parse(text);
        className = parsed == null ? text : parsed.className;
        name = parsed == null ? TestCase.WHOLE_CLASS : wholeName ? parsed.full : parsed.plain();
        display = parsed == null ? text : parsed.full;
    }

    String key() {
        return className + '\0' + name;
    }

    TestCase testCase(String root) {
        return new TestCase(className, name, occurrence, display, root);
    }
}
