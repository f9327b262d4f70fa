package parade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

class ProtocolTest {
    /** Files whose lines are escaped fields behind a word. */
    private static final Set<String> ESCAPED = Set.of("events", "control", "handshake", "question", "answer");

    /** Each has a test beside the class that reads or writes it. */
    @Test
    void theTableHasTheseFiles() {
        List<String> files = Protocol.entries().stream().map(entry -> entry.file).distinct().collect(Collectors.toList());
        assertEquals(Arrays.asList("seal", "events", "control", "handshake", "settings", "selection", "question", "answer",
            "traces"), files);
    }

    @Test
    void everyKindIsThereOnceAndHasAnExample() {
        Set<String> seen = new HashSet<>();
        for (Protocol.Entry entry : Protocol.entries()) {
            assertTrue(seen.add(entry.file + " " + entry.kind), entry.kind);
            assertFalse(entry.examples.isEmpty(), entry.kind);
        }
    }

    /** What `Line` reads and writes again is the same line: both use the rules of escaping that the table states. */
    @Test
    void everyExampleSurvivesReadingAndWriting() {
        int checked = 0;
        for (Protocol.Entry entry : Protocol.entries()) {
            for (String example : ESCAPED.contains(entry.file) ? entry.examples : List.<String>of()) {
                String[] fields = Line.parse(example);
                Line again = new Line(() -> fields[0]);
                for (int i = 1; i < fields.length; i++) {
                    again.field(fields[i]);
                }
                assertEquals(example, Protocol.text(again));
                assertEquals(entry.kind, fields[0]);
                checked++;
            }
        }
        assertTrue(checked > 40, checked + " examples");
    }
}
