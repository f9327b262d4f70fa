package parade.direct.core;

import java.io.PrintStream;

import parade.listen.EventLines;
import parade.listen.EventLog;
import parade.listen.TestCase;

/** The lines of the event file that only this runner writes. */
public final class Events {
    /** Taken before a test can replace it. */
    private static final PrintStream ERRORS = System.err;

    private Events() {}

    public static void begun(String id) {
        EventLog.get().note(EventLines.begun(id));
    }

    public static void done(String id) {
        EventLog.get().note(EventLines.done(id));
    }

    static void refused(long number, String reason) {
        EventLog.get().note(EventLines.refused(number, reason));
    }

    public static void listed(String root, TestCase leaf) {
        EventLog.get().note(EventLines.listed(root, leaf));
    }

    public static void unlisted(String root, String reason) {
        EventLog.get().note(EventLines.unlisted(root, reason));
    }

    public static void complain(String what) {
        ERRORS.println("parade: " + what);
    }

    /** Describes a throwable in one line. It never fails, even if the throwable's own methods do. */
    public static String describe(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (Throwable hostile) {
            return thrown.getClass().getName();
        }
    }
}
