package parade.direct.core;

import parade.listen.TestCase;

/** A test that an order asks for. */
public final class Wanted {
    public final long number;
    public final String framework;
    /** The class that is handed to the framework. */
    public final String root;
    public final String className;
    public final String name;
    public final int occurrence;
    private final String display;
    /** Has it been answered: by an execution, by a refusal, or by a fixture that failed before it? */
    private volatile boolean settled;

    /** From a line's fields, the kind being the first. */
    public Wanted(String[] line) {
        number = Long.parseLong(line[1]);
        framework = line[2];
        root = line[3];
        className = line[4];
        name = line[5];
        occurrence = Integer.parseInt(line[6]);
        display = line.length > 7 ? line[7] : "";
    }

    public boolean isSettled() {
        return settled;
    }

    /** It has run, or it will not run because its class could not be set up. */
    public void settle() {
        settled = true;
    }

    public void refuse(String reason) {
        if (!settled) {
            settled = true;
            Events.refused(number, reason);
        }
    }

    /** How it is recorded if the framework never reported it. */
    public TestCase testCase() {
        return new TestCase(className, name, occurrence, display, root).answering(number);
    }

    public String describe() {
        return className + "#" + name + (occurrence > 1 ? "~" + occurrence : "");
    }
}
