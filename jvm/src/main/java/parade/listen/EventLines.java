package parade.listen;

import parade.Line;
import parade.LineKind;

/** The lines of the event file, in which a test process tells what happens. */
public final class EventLines {
    public enum Kind implements LineKind {
        PROCESS("P"),
        STARTED("S"),
        FINISHED("F"),
        TIMED_OUT("T"),
        COMPUTED("C"),
        BEGUN("B"),
        DONE("D"),
        REFUSED("X"),
        LISTED("L"),
        UNLISTED("E"),
        NAMED("N"),
        INITIALISED("I"),
        ACCESSED("A");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        @Override
        public String word() {
            return word;
        }
    }

    private static final int VERSION = 1;
    private static final int NAME_LIMIT = 16 * 1024;
    private static final int TRACE_LIMIT = 4 * 1024;
    private static final int THREAD_LIMIT = 1024;
    private static final int ACCESSED_NAME_LIMIT = 1024;

    private EventLines() {}

    static Line process(String process, long micros, long nanos) {
        return new Line(Kind.PROCESS).field(VERSION).field(process).field(micros).field(nanos);
    }

    static Line started(int number, long micros, long nanos, String thread, TestCase test) {
        return new Line(Kind.STARTED).field(number).field(micros).field(nanos).field(thread, THREAD_LIMIT)
            .field(test.className, NAME_LIMIT).field(test.name, NAME_LIMIT).field(test.occurrence)
            .field(test.display, NAME_LIMIT).field(test.root, NAME_LIMIT).field(test.answers);
    }

    static Line finished(int number, long micros, long nanos, Outcome outcome, String message) {
        return new Line(Kind.FINISHED).field(number).field(micros).field(nanos).field(outcome.name())
            .field(message, TRACE_LIMIT);
    }

    static Line timedOut(int number, long micros, long nanos) {
        return new Line(Kind.TIMED_OUT).field(number).field(micros).field(nanos);
    }

    /** The runner has taken up an order. */
    public static Line begun(String order) {
        return new Line(Kind.BEGUN).field(order);
    }

    /** An order or a listing has ended. */
    public static Line done(String order) {
        return new Line(Kind.DONE).field(order);
    }

    /** A test that was asked for cannot run. */
    public static Line refused(long asked, String reason) {
        return new Line(Kind.REFUSED).field(asked).field(reason, TRACE_LIMIT);
    }

    public static Line listed(String root, TestCase leaf) {
        return new Line(Kind.LISTED).field(root).field(leaf.className).field(leaf.name).field(leaf.occurrence)
            .field(leaf.display);
    }

    /** A class whose tests cannot be listed. */
    public static Line unlisted(String root, String reason) {
        return new Line(Kind.UNLISTED).field(root).field(reason, TRACE_LIMIT);
    }

    /** The number that stands for a name in the lines that follow. */
    public static Line named(int number, String name) {
        return new Line(Kind.NAMED).field(number).field(name, ACCESSED_NAME_LIMIT);
    }

    /** What the static initialiser of a class read. */
    public static Line initialised(int type, Iterable<Integer> reads) {
        return new Line(Kind.INITIALISED).field(type).field(joined(reads));
    }

    /** What was read, written and used in one part of a test. */
    public static Line accessed(int number, String part, Iterable<Integer> reads, Iterable<Integer> writes,
        Iterable<Integer> uses) {
        return new Line(Kind.ACCESSED).field(number).field(part).field(joined(reads)).field(joined(writes))
            .field(joined(uses));
    }

    private static String joined(Iterable<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (int number : numbers) {
            text.append(text.length() == 0 ? "" : " ").append(number);
        }
        return text.toString();
    }
}
