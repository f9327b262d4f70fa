package parade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class BackgroundTest {
    @Test
    void theExamplesOfTheProtocolAreWritten() {
        List<String> events = Protocol.entry("events", "C").examples;
        assertEquals(events.get(0), Protocol.text(Background.line(() -> "C", 1_500_000_000L, 4_000_000_000L)));
        assertEquals(events.get(1), Protocol.text(Background.line(() -> "C", 2_000_000_000L, 9_000_000_000L)));
        assertEquals(Protocol.entry("handshake", "background").examples.get(0),
            Protocol.text(Background.line(() -> "background", 1_500_000_000L, 4_000_000_000L)));
    }

    @Test
    void theJvmsOwnThreadsAreAPartOfTheProcess() {
        Assumptions.assumeTrue(new File("/proc/self/task").isDirectory());
        Line line = Background.line(() -> "C");
        assertNotNull(line);
        String[] fields = Line.parse(Protocol.text(line));
        long beside = Long.parseLong(fields[1]);
        long all = Long.parseLong(fields[2]);
        assertTrue(beside > 0 && all > 0, fields[1] + " " + fields[2]);
    }
}
