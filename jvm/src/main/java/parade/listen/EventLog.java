package parade.listen;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;

import parade.Background;
import parade.Line;

/**
 * Writes one line per event to a file of this process. The file is opened before the first test and not when a listener is
 * created, because listeners are also created in Maven's own process, which runs no tests.
 */
public final class EventLog {
    /** Is told what runs, right after it is on record. */
    public interface Watch {
        void started(int number, long nanos);

        void finished(int number);
    }

    /** Records what a test does while it runs. */
    public interface Recorder {
        void started(int number);

        /** Right before the end is on record. */
        void ended(int number);

        /** What ran since the last test ended belongs to that test. */
        void settled();
    }

    private static final String PLACE = "PARADE_EVENTS";
    private static final String GOAL = "PARADE_GOAL";
    /** If set, CPU times are written when tests begin and at the end. */
    private static final String BACKGROUND = "PARADE_BACKGROUND";
    private static final EventLog INSTANCE = new EventLog();

    /** Wall clock and monotonic clock read together: Java 8 has no finer wall clock than milliseconds. */
    private final long anchorMillis = System.currentTimeMillis();
    private final long anchorNanos = System.nanoTime();
    private EventFile out;
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

    /** To be called when a class, or something else with fixtures, has ended. */
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
        write(EventLines.started(number, micros(now), now, thread, test));
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
            write(EventLines.finished(number, micros(now), now, outcome, message));
            if (watch != null) {
                watch.finished(number);
            }
        }
    }

    /** The test is over its limit, and its process is about to end. */
    public synchronized void timedOut(int number) {
        long now = System.nanoTime();
        if (recorder != null) {
            recorder.ended(number);
        }
        write(EventLines.timedOut(number, micros(now), now));
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
            // What ran before was not run for this test.
            ended(begun(test), System.nanoTime(), outcome, message);
        } else {
            finished(started(test), outcome, message);
        }
    }

    private long micros(long nanos) {
        return anchorMillis * 1000 + (nanos - anchorNanos) / 1000;
    }

    /** To be called before the first test, because the file has no name afterwards. */
    public synchronized void open() {
        if (out != null || broken) {
            return;
        }
        try {
            out = find();
            broken = out == null;
            if (!broken) {
                begin();
            }
        } catch (IOException | RuntimeException error) {
            fail(error);
        }
    }

    private void write(Line line) {
        open();
        if (broken) {
            return;
        }
        try {
            out.write(line.bytes());
        } catch (IOException | RuntimeException error) {
            fail(error);
        }
    }

    private void fail(Exception error) {
        broken = true;
        System.err.println("parade: cannot record tests: " + error);
    }

    private static EventFile find() throws IOException {
        String place = setting(PLACE);
        return place == null ? null : EventFile.open(place, setting(GOAL), processId());
    }

    private static String setting(String name) {
        String value = System.getenv(name);
        return value == null ? System.getProperty(name) : value;
    }

    private void begin() throws IOException {
        out.write(EventLines.process(processId(), micros(anchorNanos), anchorNanos).bytes());
        if (System.getenv(BACKGROUND) != null) {
            tellBackground();
            Runtime.getRuntime().addShutdownHook(new Thread(this::tellBackground, "parade-background"));
        }
    }

    private synchronized void tellBackground() {
        Line line = Background.line(EventLines.Kind.COMPUTED);
        if (line != null) {
            write(line);
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
