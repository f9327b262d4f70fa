package parade.listen;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;

import parade.Background;
import parade.Line;

/**
 * Writes one line per event to a file of this process. Each line is one write to the operating system, so that what
 * happened before a crash is on record. The file is opened with the first event: listeners are also created in Maven's
 * own process, where nothing runs.
 */
public final class EventLog {
    /** Is told what runs, right after it is on record. */
    public interface Watch {
        void started(int number, long nanos);

        void finished(int number);
    }

    /** Takes down what a test does besides ending. */
    public interface Recorder {
        void started(int number);

        /** Right before the end is on record. */
        void ended(int number);

        /** What ran since the last test ended belongs to that test. */
        void settled();
    }

    static final String FOLDER = "PARADE_EVENTS";
    /** Is what the JVM computes beside its program to be told, when tests begin and at the end? */
    private static final String BACKGROUND = "PARADE_BACKGROUND";
    private static final int NAME_LIMIT = 16 * 1024;
    private static final int TRACE_LIMIT = 4 * 1024;
    private static final EventLog INSTANCE = new EventLog();

    /** Wall clock and monotonic clock read together: Java 8 has no finer wall clock than milliseconds. */
    private final long anchorMillis = System.currentTimeMillis();
    private final long anchorNanos = System.nanoTime();
    private OutputStream out;
    private boolean broken;
    private int count;
    private volatile Watch watch;
    private volatile Recorder recorder;

    public static EventLog get() {
        return INSTANCE;
    }

    public void watch(Watch who) {
        watch = who;
    }

    public void record(Recorder who) {
        recorder = who;
    }

    /** To be said where a class, or whatever has fixtures, is left. */
    public void settle() {
        if (recorder != null) {
            recorder.settled();
        }
    }

    /** Returns the number by which the end of the test refers to its start. */
    public synchronized int started(TestCase test) {
        int number = begun(test);
        if (recorder != null) {
            recorder.started(number);
        }
        return number;
    }

    private synchronized int begun(TestCase test) {
        int number = ++count;
        String thread = Thread.currentThread().getName();
        long now = System.nanoTime();
        write(new Line("S").field(number).field(micros(now)).field(now).field(thread, 1024)
            .field(test.className, NAME_LIMIT).field(test.name, NAME_LIMIT).field(test.occurrence)
            .field(test.display, NAME_LIMIT).field(test.root, NAME_LIMIT).field(test.answers));
        if (watch != null) {
            watch.started(number, now);
        }
        return number;
    }

    public void finished(int number, Outcome outcome, Throwable thrown) {
        finished(number, outcome, thrown == null ? null : describe(thrown));
    }

    public void finished(int number, Outcome outcome, String message) {
        long now = System.nanoTime();
        if (recorder != null) {
            recorder.ended(number);
        }
        ended(number, now, outcome, message);
    }

    private void ended(int number, long now, Outcome outcome, String message) {
        synchronized (this) {
            write(new Line("F").field(number).field(micros(now)).field(now).field(outcome.name())
                .field(message, TRACE_LIMIT));
            if (watch != null) {
                watch.finished(number);
            }
        }
    }

    /** The test is over its limit, and its process will not live on. */
    public synchronized void timedOut(int number) {
        long now = System.nanoTime();
        if (recorder != null) {
            recorder.ended(number);
        }
        write(new Line("T").field(number).field(micros(now)).field(now));
    }

    /** Any other line of the protocol. */
    public synchronized void note(Line line) {
        write(line);
    }

    /** For what has no duration: a skipped test, a failing class fixture. */
    public void instant(TestCase test, Outcome outcome, Throwable thrown) {
        instant(test, outcome, thrown == null ? null : describe(thrown));
    }

    public void instant(TestCase test, Outcome outcome, String message) {
        if (outcome == Outcome.skipped) {
            // What ran before was not for this one.
            ended(begun(test), System.nanoTime(), outcome, message);
        } else {
            finished(started(test), outcome, message);
        }
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
        if (System.getenv(BACKGROUND) != null) {
            tellBackground(stream);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> tellBackground(stream), "parade-background"));
        }
        return stream;
    }

    private synchronized void tellBackground(OutputStream stream) {
        Line line = Background.line("C");
        try {
            if (line != null) {
                stream.write(line.bytes());
            }
        } catch (IOException error) {
            broken = true;
        }
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
