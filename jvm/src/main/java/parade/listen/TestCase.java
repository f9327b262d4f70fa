package parade.listen;

/** A test as parade knows it: class, name and the number of the occurrence; what people see is data beside it. */
final class TestCase {
    /** Stands for the class itself where no test of it can be named: a failing fixture, an ignored class. */
    static final String WHOLE_CLASS = "<class>";

    final String className;
    final String name;
    final int occurrence;
    final String display;
    /** The class that was run for it: a JUnit 3 suite gathers tests of others, and each numbers them. Null if unknown. */
    final String root;

    TestCase(String className, String name, int occurrence, String display) {
        this(className, name, occurrence, display, null);
    }

    TestCase(String className, String name, int occurrence, String display, String root) {
        this.className = className;
        this.name = name;
        this.occurrence = occurrence;
        this.display = display;
        this.root = root;
    }
}
