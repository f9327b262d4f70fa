package parade.listen;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;

import parade.Line;

/**
 * Writes one line per event to a file of this process. Each line is one write to the operating system, so that what
 * happened before a crash is on record. The file is opened with the first event: listeners are also created in Maven's
 * own process, where nothing runs.
 */
final class EventLog {
    static final String FOLDER = "PARADE_EVENTS";
    private static final int NAME_LIMIT = 16 * 1024;
    private static final int TRACE_LIMIT = 4 * 1024;
    private static final EventLog INSTANCE = new EventLog();

    /** Wall clock and monotonic clock read together: Java 8 has no finer wall clock than milliseconds. */
    private final long anchorMillis = System.currentTimeMillis();
    private final long anchorNanos = System.nanoTime();
    private OutputStream out;
    private boolean broken;
    private int count;

    static EventLog get() {
        return INSTANCE;
    }

    /** Returns the number by which the end of the test refers to its start. */
    synchronized int started(TestCase test) {
        int number = ++count;
        String thread = Thread.currentThread().getName();
        long now = System.nanoTime();
        write(new Line("S").field(number).field(micros(now)).field(now).field(thread, 1024)
            .field(test.className, NAME_LIMIT).field(test.name, NAME_LIMIT).field(test.occurrence)
            .field(test.display, NAME_LIMIT).field(test.root, NAME_LIMIT));
        return number;
    }

    void finished(int number, Outcome outcome, Throwable thrown) {
        finished(number, outcome, thrown == null ? null : describe(thrown));
    }

    void finished(int number, Outcome outcome, String message) {
        long now = System.nanoTime();
        synchronized (this) {
            write(new Line("F").field(number).field(micros(now)).field(now).field(outcome.name())
                .field(message, TRACE_LIMIT));
        }
    }

    /** For what has no duration: a skipped test, a failing class fixture. */
    void instant(TestCase test, Outcome outcome, Throwable thrown) {
        instant(test, outcome, thrown == null ? null : describe(thrown));
    }

    void instant(TestCase test, Outcome outcome, String message) {
        finished(started(test), outcome, message);
    }

    private long micros(long nanos) {
        return anchorMillis * 1000 + (nanos - anchorNanos) / 1000;
    }

    private void write(Line line) {
        if (broken) {
            return;
        }
        try {
            if (out == null) {
                out = open();
            }
            if (out != null) {
                out.write(line.bytes());
            }
        } catch (IOException | RuntimeException error) {
            broken = true;
            System.err.println("parade: cannot record tests: " + error);
        }
    }

    private OutputStream open() throws IOException {
        String folder = System.getenv(FOLDER);
        if (folder == null) {
            folder = System.getProperty(FOLDER);
        }
        if (folder == null) {
            broken = true;
            return null;
        }
        String process = processId();
        File file = new File(folder, process + "-" + Long.toHexString(anchorNanos) + ".events");
        OutputStream stream = new FileOutputStream(file, true);
        stream.write(new Line("P").field(1).field(process).field(micros(anchorNanos)).field(anchorNanos).bytes());
        return stream;
    }

    private static String processId() {
        try {
            String name = new File("/proc/self").getCanonicalFile().getName();
            Integer.parseInt(name);
            return name;
        } catch (IOException | NumberFormatException notLinux) {
            return ManagementFactory.getRuntimeMXBean().getName().replaceAll("@.*", "");
        }
    }

    private static String describe(Throwable thrown) {
        try {
            StringWriter trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace, true));
            return trace.toString();
        } catch (Throwable hostile) {
            return thrown.getClass().getName();
        }
    }
}
