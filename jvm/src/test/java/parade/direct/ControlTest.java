package parade.direct;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import parade.Line;
import parade.Protocol;
import parade.direct.core.Wanted;
import parade.listen.EventLines;
import parade.listen.EventLog;
import parade.listen.RecordedEvents;
import samples.Plain4;

class ControlTest {
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(context);
        EventLog.get().record(null);
        System.clearProperty("basedir");
    }

    private static ControlReader reader(String... lines) {
        return new ControlReader(new ByteArrayInputStream((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    private static String[] example(ControlKind kind, int index) {
        return Line.parse(Protocol.entry("control", kind.word()).examples.get(index));
    }

    @Test
    void theTableHasEveryKindAndNoOther() {
        assertEquals(Protocol.kinds("control"), Protocol.words(ControlKind.values()));
        for (ControlKind kind : ControlKind.values()) {
            assertEquals(kind, ControlKind.of(kind.word()));
        }
        assertThrows(IllegalArgumentException.class, () -> ControlKind.of("stop"));
    }

    @Test
    void theExamplesOfTheProtocolAreUnderstood() {
        Order order = new Order(example(ControlKind.ORDER, 0));
        assertEquals("9 true 4 classesAndMethods 1500", order.id + " " + order.warm + " " + order.threads + " " + order.mode + " "
            + order.limitMillis);
        Wanted test = new Wanted(example(ControlKind.TEST, 0));
        assertEquals("5 junit4 a.All a.B x\ty 2",
            test.number + " " + test.framework + " " + test.root + " " + test.className + " "
            + test.name + " " + test.occurrence);
        assertEquals("x[1]", test.testCase().display);
        Wanted plain = new Wanted(example(ControlKind.TEST, 1));
        assertEquals("", plain.testCase().display);
        assertEquals("a.B#z~2", plain.describe());
        assertEquals("3", plain.testCase().answers);
    }

    @Test
    void aPropertyIsSetAsTheExampleHasIt() throws IOException {
        new Session().obey(reader(Protocol.entry("control", "property").examples.get(0)));
        assertEquals("/w/100%", System.getProperty("basedir"));
    }

    @Test
    void aLineIsReadAsSoonAsItIsWhole() throws IOException {
        byte[] bytes = "a\tx%09y\nb\nunfinished".getBytes(StandardCharsets.UTF_8);
        InputStream slow = new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(3, length));
            }

            @Override
            public int read(byte[] into) {
                return read(into, 0, into.length);
            }
        };
        ControlReader reader = new ControlReader(slow);
        assertArrayEquals(new String[] {"a", "x\ty"}, reader.next());
        assertArrayEquals(new String[] {"b"}, reader.next());
        assertNull(reader.next(), "a line without an end is none");
    }

    @Test
    void aListingIsAnsweredAndEnds() throws IOException {
        RecordedEvents events = new RecordedEvents();
        new Session().obey(reader("list\t4\tjunit4", "root\tsamples.Plain4", "root\tsamples.Missing", "go"));
        assertEquals(4, events.listed().size());
        assertEquals("samples.Missing", events.lines(EventLines.Kind.UNLISTED).get(0)[1]);
        assertEquals("4", events.lines(EventLines.Kind.DONE).get(0)[1]);
        assertTrue(events.started().isEmpty());
    }

    @Test
    void anOrderRunsBetweenItsBeginningAndItsEnd() throws IOException {
        RecordedEvents events = new RecordedEvents();
        new Session().obey(reader("order\t5\tfresh\t1\tsequential\t60000",
            "test\t8\tjunit4\tsamples.Plain4\tsamples.Plain4\ta\t1\t",
            "test\t9\tjunit4\tsamples.Plain4\tsamples.Plain4\tmissing\t1\t", "go"));
        List<String[]> lines = events.lines();
        assertEquals("B", lines.get(0)[0]);
        assertEquals("D", lines.get(lines.size() - 1)[0]);
        assertEquals(Collections.singletonList("8"), events.answered());
        assertEquals(1, events.refused().size());
    }

    /** In a warm order, classes of the folders are loaded anew each time. */
    @Test
    void aWarmOrderHasClassesOfItsOwn() throws Exception {
        RecordedEvents events = new RecordedEvents();
        int before = Plain4.setUps;
        String classes = new java.io.File(Plain4.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
        String test = "test\t1\tjunit4\tsamples.Plain4\tsamples.Plain4\ta\t1\t";
        new Session().obey(reader("folder\t" + classes, "order\t1\twarm\t1\tsequential\t0", test, "go",
            "order\t2\twarm\t1\tsequential\t0", test, "go"));
        assertEquals(Arrays.asList("1", "1"), events.answered());
        assertEquals(before, Plain4.setUps, "the class of this loader was not touched");
    }

    @Test
    void accessesAreRecordedFromThenOn() throws IOException {
        RecordedEvents events = new RecordedEvents();
        new Session().obey(reader(Protocol.entry("control", "accesses").examples.get(0), "order\t1\tfresh\t1\tsequential\t0",
            "test\t1\tjunit4\tsamples.Plain4\tsamples.Plain4\ta\t1\t", "go"));
        List<String[]> accesses = events.lines(EventLines.Kind.ACCESSED);
        assertFalse(accesses.isEmpty());
        assertTrue(accesses.stream().anyMatch(line -> line[2].equals("in")), "one for the test, though it touched nothing");
    }

    @Test
    void aTraceNeedsTheAgentOfJaCoCo() {
        IOException error = assertThrows(IOException.class, () -> new Session().obey(reader("trace\t/t/trace")));
        assertTrue(error.getMessage().startsWith("JaCoCo's agent does not answer"), error.getMessage());
    }

    @Test
    void anUnknownKindIsAMistake() {
        assertThrows(IllegalArgumentException.class, () -> new Session().obey(reader("stop")));
    }
}
