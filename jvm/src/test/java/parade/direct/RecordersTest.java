package parade.direct;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.data.SessionInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import parade.Protocol;
import parade.agent.Shared;
import parade.listen.EventLines;
import parade.listen.EventLog;
import parade.listen.Outcome;
import parade.listen.RecordedEvents;
import parade.listen.TestCase;

/** What is recorded of tests besides their ends: coverage and accesses. */
class RecordersTest {
    /** Answers as JaCoCo's agent does. */
    public static final class Agent {
        boolean[] probes = {};

        public byte[] getExecutionData(boolean reset) throws Exception {
            assertTrue(reset);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            ExecutionDataWriter writer = new ExecutionDataWriter(bytes);
            writer.visitSessionInfo(new SessionInfo("parade", 1, 2));
            if (probes.length > 0) {
                writer.visitClassExecution(new ExecutionData(1L << 40, "a/B", probes));
            }
            return bytes.toByteArray();
        }
    }

    private final Agent agent = new Agent();
    private final ByteArrayOutputStream traces = new ByteArrayOutputStream();

    @AfterEach
    void detach() {
        EventLog.get().record(null);
    }

    private Tracer tracer() throws Exception {
        return new Tracer(agent, Agent.class.getMethod("getExecutionData", boolean.class), traces);
    }

    private static byte[] bytes(String hexadecimal) {
        String digits = hexadecimal.replace(" ", "");
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    private static boolean[] probes(int... hit) {
        boolean[] probes = new boolean[10];
        for (int probe : hit) {
            probes[probe] = true;
        }
        return probes;
    }

    @Test
    void theExampleOfTheProtocolIsWritten() throws Exception {
        Tracer tracer = tracer();
        agent.probes = probes(0, 2, 9);
        tracer.started(3);
        tracer.ended(3);
        assertArrayEquals(bytes(Protocol.entry("traces", "-").examples.get(0)), traces.toByteArray());
    }

    @Test
    void aClassIsNamedOnce() throws Exception {
        Tracer tracer = tracer();
        agent.probes = probes(1);
        tracer.ended(1);
        traces.reset();
        agent.probes = probes(8);
        tracer.ended(2);
        assertArrayEquals(bytes("00000002 00000006 00000000 0001"), traces.toByteArray());
    }

    @Test
    void whatRanAfterATestIsItsOwnWhereSomebodySettlesIt() throws Exception {
        Tracer tracer = tracer();
        tracer.settled();
        assertEquals(0, traces.size(), "there was no test yet");
        tracer.ended(1);
        tracer.settled();
        tracer.started(2);
        tracer.settled();
        assertArrayEquals(bytes("00000001 00000000 00000001 00000000"), traces.toByteArray(), "nothing while a test runs");
    }

    @Test
    void anAgentThatFailsEndsTheRecord() throws Exception {
        Tracer tracer = tracer();
        agent.probes = null;
        tracer.ended(1);
        agent.probes = probes(1);
        tracer.ended(2);
        assertEquals(0, traces.size());
    }

    @Test
    void accessesAreRecordedBeforeInAndAfterATest() {
        RecordedEvents events = new RecordedEvents();
        int before = Shared.field("r.A", "before");
        int in = Shared.field("r.A", "in");
        int after = Shared.field("r.A", "after");
        Shared.take();
        AccessLog.begin();
        EventLog log = EventLog.get();
        Shared.write(before);
        int number = log.started(new TestCase("r.A", "x", 1, ""));
        Shared.read(in);
        log.finished(number, Outcome.passed, (String) null);
        Shared.write(after);
        log.settle();
        log.settle();
        int second = log.started(new TestCase("r.A", "y", 1, ""));
        log.finished(second, Outcome.passed, (String) null);

        List<String> accesses = new ArrayList<>();
        for (String[] line : events.lines(EventLines.Kind.ACCESSED)) {
            accesses.add(String.join(" ", Arrays.copyOfRange(line, 1, 3)) + " r" + line[3] + " w" + line[4]);
        }
        assertEquals(Arrays.asList(number + " before r w" + before, number + " in r" + in + " w", number + " after r w" + after,
            second + " in r w"), accesses);
        List<String> names = new ArrayList<>();
        for (String[] line : events.lines(EventLines.Kind.NAMED)) {
            names.add(line[2]);
        }
        assertEquals(Arrays.asList("r.A.before", "r.A.in", "r.A.after"), names, "each once, before its first use");
        assertEquals(Protocol.entry("events", "A").values("part"), Arrays.asList("before", "in", "after"));
    }

    @Test
    void aClassIsIntroducedWithWhatItsInitialiserRead() {
        RecordedEvents events = new RecordedEvents();
        int source = Shared.field("r.Source", "x");
        int type = Shared.type("r.User");
        Shared.enter(type);
        Shared.read(source);
        Shared.leave();
        Shared.take();
        AccessLog.begin();
        int number = EventLog.get().started(new TestCase("r.A", "x", 1, ""));
        Shared.use(type);
        EventLog.get().finished(number, Outcome.passed, (String) null);
        String[] introduced = events.lines(EventLines.Kind.INITIALISED).get(0);
        assertEquals(type + " " + source, introduced[1] + " " + introduced[2]);
        assertEquals(Integer.toString(type), events.lines(EventLines.Kind.ACCESSED).get(0)[5]);
    }
}
