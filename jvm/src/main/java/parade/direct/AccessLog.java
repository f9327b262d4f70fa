package parade.direct;

import java.util.BitSet;
import java.util.Collections;
import java.util.Set;

import parade.agent.Shared;
import parade.agent.Touched;
import parade.listen.EventLines;
import parade.listen.EventLog;

/**
 * Records what each test reads and writes of the things that tests share, as the agent in this process observes it. There is
 * a line for what ran since the last test, one for the test itself, and one for what ran after the test if it is known to
 * belong to it. A name is written once and then referred to by its number. What a class read when it was initialised is
 * written with its name. parade decides to which test the code between two tests belongs.
 */
final class AccessLog implements EventLog.Recorder {
    /** The reader's limit for a line. Nothing is recorded of a test that touches more, so it counts as unknown. */
    private static final int LINE_LIMIT = 50_000;

    private final BitSet named = new BitSet();
    private boolean running;
    private int last;

    private AccessLog() {}

    static void begin() {
        EventLog.get().record(new AccessLog());
    }

    @Override
    public synchronized void started(int number) {
        write(number, "before", Shared.take());
        running = true;
    }

    @Override
    public synchronized void ended(int number) {
        write(number, "in", Shared.take());
        running = false;
        last = number;
    }

    @Override
    public synchronized void settled() {
        if (last != 0 && !running) {
            write(last, "after", Shared.take());
        }
    }

    /** A test that touched nothing has a line too. A test without a line is unknown. */
    private void write(int number, String part, Touched touched) {
        if (touched.isEmpty() && !part.equals("in")) {
            return;
        }
        if (touched.reads.size() + touched.writes.size() + touched.uses.size() > LINE_LIMIT) {
            return;
        }
        name(touched.reads);
        name(touched.writes);
        for (int type : touched.uses) {
            introduce(type);
        }
        EventLog.get().note(EventLines.accessed(number, part, touched.reads, touched.writes, touched.uses));
    }

    private void introduce(int type) {
        if (!named.get(type)) {
            Set<Integer> reads = Shared.initialReads(type);
            name(reads);
            name(Collections.singleton(type));
            EventLog.get().note(EventLines.initialised(type, reads));
        }
    }

    private void name(Iterable<Integer> numbers) {
        for (int number : numbers) {
            if (!named.get(number)) {
                named.set(number);
                EventLog.get().note(EventLines.named(number, Shared.name(number)));
            }
        }
    }
}
