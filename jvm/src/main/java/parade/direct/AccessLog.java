package parade.direct;

import java.util.BitSet;
import java.util.Collections;
import java.util.Set;

import parade.Line;
import parade.agent.Shared;
import parade.agent.Touched;
import parade.listen.EventLog;

/**
 * Puts on record what each test reads and writes of what tests share, as the agent on this process's command line sees it:
 * a line for what ran since the last test, one for the test, one for what ran after it where somebody knows that it was its
 * own. Names come once, then their numbers; what a class read when it was initialised comes with its name. Whose what lies
 * between two tests is, parade decides.
 */
final class AccessLog implements EventLog.Recorder {
    /** No line grows beyond what its reader takes; whoever touches more has touched everything. */
    private static final int LINE_LIMIT = 50_000;
    private static final int NAME_LIMIT = 1024;

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

    /** That a test touched nothing is worth a line: nothing is known of tests that have none. */
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
        EventLog.get().note(new Line("A").field(number).field(part).field(joined(touched.reads))
            .field(joined(touched.writes)).field(joined(touched.uses)));
    }

    private void introduce(int type) {
        if (!named.get(type)) {
            Set<Integer> reads = Shared.initialReads(type);
            name(reads);
            name(Collections.singleton(type));
            EventLog.get().note(new Line("I").field(type).field(joined(reads)));
        }
    }

    private void name(Iterable<Integer> numbers) {
        for (int number : numbers) {
            if (!named.get(number)) {
                named.set(number);
                EventLog.get().note(new Line("N").field(number).field(Shared.name(number), NAME_LIMIT));
            }
        }
    }

    private static String joined(Iterable<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (int number : numbers) {
            text.append(text.length() == 0 ? "" : " ").append(number);
        }
        return text.toString();
    }
}
