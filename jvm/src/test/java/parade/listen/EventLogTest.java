package parade.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLogTest {
    private final RecordedEvents events = new RecordedEvents();
    private final EventLog log = EventLog.get();
    private final List<String> calls = new ArrayList<>();

    /** Notes the calls that it gets, and how many lines were on record by then. */
    private final class Listener implements EventLog.Watch, EventLog.Recorder {
        @Override
        public void started(int number, long nanos) {
            calls.add("watch started " + events.lines().size());
        }

        @Override
        public void finished(int number) {
            calls.add("watch finished " + events.lines().size());
        }

        @Override
        public void started(int number) {
            calls.add("started " + events.lines().size());
        }

        @Override
        public void ended(int number) {
            calls.add("ended " + events.lines().size());
        }

        @Override
        public void settled() {
            calls.add("settled");
        }
    }

    @AfterEach
    void detach() {
        log.watch(null);
        log.record(null);
    }

    private static TestCase test(String name) {
        return new TestCase("a.B", name, 1, name);
    }

    @Test
    void anEndRefersToItsStart() {
        int first = log.started(test("x"));
        int second = log.started(test("y"));
        log.finished(second, Outcome.passed, (String) null);
        log.finished(first, Outcome.error, new IllegalStateException("bad\tthing"));
        List<String[]> ends = events.lines(EventLines.Kind.FINISHED);
        assertEquals(Arrays.asList("a.B#x~1", "a.B#y~1"), events.started());
        assertEquals(first + 1, second);
        assertEquals(Integer.toString(second), ends.get(0)[1]);
        assertEquals("", ends.get(0)[5]);
        assertEquals(Integer.toString(first), ends.get(1)[1]);
        assertEquals(Arrays.asList("passed", "error"), events.outcomes());
        assertTrue(ends.get(1)[5].startsWith("java.lang.IllegalStateException: bad\tthing\n\tat "), ends.get(1)[5]);
    }

    @Test
    void bothClocksGoForward() {
        log.finished(log.started(test("x")), Outcome.passed, (String) null);
        String[] start = events.lines().get(0);
        String[] end = events.lines().get(1);
        long micros = Long.parseLong(end[2]) - Long.parseLong(start[2]);
        long nanos = Long.parseLong(end[3]) - Long.parseLong(start[3]);
        assertTrue(nanos >= 0 && Math.abs(nanos / 1000 - micros) <= 1, nanos + " " + micros);
    }

    @Test
    void aWatchIsToldAfterAndARecorderBeforeTheEndIsOnRecord() {
        log.watch(new Listener());
        log.record(new Listener());
        log.finished(log.started(test("x")), Outcome.passed, (String) null);
        log.settle();
        assertEquals(Arrays.asList("watch started 1", "started 1", "ended 1", "watch finished 2", "settled"), calls);
    }

    /** What ran before a skipped test was not for it. */
    @Test
    void aRecorderHearsNothingOfSkippedTests() {
        log.record(new Listener());
        log.instant(test("x"), Outcome.skipped, "not today");
        assertEquals(0, calls.size());
        log.instant(test("y"), Outcome.failed, "no");
        assertEquals(Arrays.asList("started 3", "ended 3"), calls);
        assertEquals(Arrays.asList("skipped", "failed"), events.outcomes());
    }

    @Test
    void aTestOverItsLimitIsNamed() {
        int number = log.started(test("x"));
        log.timedOut(number);
        assertEquals(Integer.toString(number), events.lines(EventLines.Kind.TIMED_OUT).get(0)[1]);
    }

    @Test
    void aThrowableThatCannotBeDescribedStillHasAName() {
        Throwable hostile = new RuntimeException() {
            @Override
            public String toString() {
                throw new IllegalStateException("never");
            }
        };
        log.instant(test("x"), Outcome.error, hostile);
        assertEquals(hostile.getClass().getName(), events.lines(EventLines.Kind.FINISHED).get(0)[5]);
    }
}
