package parade.direct;

import java.io.PrintStream;

import parade.Line;
import parade.listen.EventLog;
import parade.listen.TestCase;

/** The lines of the event file that only this runner writes. */
final class Events {
    private static final int REASON_LIMIT = 4 * 1024;
    /** Taken before a test can replace it. */
    private static final PrintStream ERRORS = System.err;

    private Events() {}

    static void begun(String id) {
        EventLog.get().note(new Line("B").field(id));
    }

    static void done(String id) {
        EventLog.get().note(new Line("D").field(id));
    }

    static void refused(long number, String reason) {
        EventLog.get().note(new Line("X").field(number).field(reason, REASON_LIMIT));
    }

    static void listed(String root, TestCase leaf) {
        EventLog.get().note(new Line("L").field(root).field(leaf.className).field(leaf.name).field(leaf.occurrence)
            .field(leaf.display));
    }

    static void unlisted(String root, String reason) {
        EventLog.get().note(new Line("E").field(root).field(reason, REASON_LIMIT));
    }

    static void complain(String what) {
        ERRORS.println("parade: " + what);
    }

    /** In one line, and never failing, whatever was thrown. */
    static String describe(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (Throwable hostile) {
            return thrown.getClass().getName();
        }
    }
}
