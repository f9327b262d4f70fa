package parade.listen;

/** A test as parade knows it: class, name and the number of the occurrence; what people see is data beside it. */
public final class TestCase {
    /** Stands for the class itself where no test of it can be named: a failing fixture, an ignored class. */
    public static final String WHOLE_CLASS = "<class>";

    public final String className;
    public final String name;
    public final int occurrence;
    public final String display;
    /** The class that was run for it: a JUnit 3 suite gathers tests of others, and each numbers them. Null if unknown. */
    public final String root;
    /** The number under which parade asked for it; null where it did not. */
    public final String answers;

    public TestCase(String className, String name, int occurrence, String display) {
        this(className, name, occurrence, display, null);
    }

    public TestCase(String className, String name, int occurrence, String display, String root) {
        this(className, name, occurrence, display, root, null);
    }

    private TestCase(String className, String name, int occurrence, String display, String root, String answers) {
        this.className = className;
        this.name = name;
        this.occurrence = occurrence;
        this.display = display;
        this.root = root;
        this.answers = answers;
    }

    /** The same test, as the answer to what was asked for under a number. */
    public TestCase answering(long number) {
        return new TestCase(className, name, occurrence, display, root, Long.toString(number));
    }

    public boolean isWholeClass() {
        return name.equals(WHOLE_CLASS);
    }
}
