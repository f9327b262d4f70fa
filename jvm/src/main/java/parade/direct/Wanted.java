package parade.direct;

import parade.listen.TestCase;

/** A test that an order asks for. */
final class Wanted {
    final long number;
    final String framework;
    /** The class that is handed to the framework. */
    final String root;
    final String className;
    final String name;
    final int occurrence;
    private final String display;
    /** Has it been answered: by an execution, by a refusal, or by a fixture that failed before it? */
    private volatile boolean settled;

    /** From a line's fields, the kind being the first. */
    Wanted(String[] line) {
        number = Long.parseLong(line[1]);
        framework = line[2];
        root = line[3];
        className = line[4];
        name = line[5];
        occurrence = Integer.parseInt(line[6]);
        display = line.length > 7 ? line[7] : "";
    }

    boolean isSettled() {
        return settled;
    }

    /** It has run, or will not: its class could not be set up. */
    void settle() {
        settled = true;
    }

    void refuse(String reason) {
        if (!settled) {
            settled = true;
            Events.refused(number, reason);
        }
    }

    /** As it appears on record when nothing of it could be seen. */
    TestCase testCase() {
        return new TestCase(className, name, occurrence, display, root).answering(number);
    }

    String describe() {
        return className + "#" + name + (occurrence > 1 ? "~" + occurrence : "");
    }
}
