package parade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The table of the protocol, `protocol.txt`. */
public final class Protocol {
    /** A kind of line. */
    public static final class Entry {
        public final String file;
        public final String kind;
        public final List<String> fields;
        /** Whole lines, without their ends. */
        public final List<String> examples = new ArrayList<>();

        Entry(String file, List<String> words) {
            this.file = file;
            kind = words.get(0);
            fields = words.subList(1, words.size());
        }

        /** All values that a field can have, as the table names them. */
        public List<String> values(String field) {
            return fields.stream().filter(declared -> declared.startsWith(field + "="))
                .flatMap(declared -> Arrays.stream(declared.substring(field.length() + 1).split("\\|")))
                .collect(Collectors.toList());
        }
    }

    private Protocol() {}

    public static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        String file = "";
        for (String line : read()) {
            if (line.startsWith("[")) {
                file = line.substring(1, line.length() - 1);
            } else if (line.startsWith("    ")) {
                entries.get(entries.size() - 1).examples.add(line.substring(4).replace("<TAB>", "\t"));
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                entries.add(new Entry(file, Arrays.asList(line.split(" "))));
            }
        }
        return entries;
    }

    public static List<Entry> entries(String file) {
        return entries().stream().filter(entry -> entry.file.equals(file)).collect(Collectors.toList());
    }

    public static Entry entry(String file, String kind) {
        return entries(file).stream().filter(entry -> entry.kind.equals(kind)).findFirst()
            .orElseThrow(() -> new AssertionError("the table has no " + kind + " in " + file));
    }

    public static List<String> kinds(String file) {
        return entries(file).stream().map(entry -> entry.kind).collect(Collectors.toList());
    }

    /** All examples of a file, in order. */
    public static List<String> examples(String file) {
        return entries(file).stream().flatMap(entry -> entry.examples.stream()).collect(Collectors.toList());
    }

    /** Checks that the lines which a side writes are the examples of a kind. */
    public static void assertWritten(String file, LineKind kind, Line... lines) {
        List<String> written = Arrays.stream(lines).map(Protocol::text).collect(Collectors.toList());
        assertEquals(entry(file, kind.word()).examples, written);
    }

    /** A line without its end. */
    public static String text(Line line) {
        String text = new String(line.bytes(), StandardCharsets.UTF_8);
        assertEquals(text.length() - 1, text.indexOf('\n'));
        return text.substring(0, text.length() - 1);
    }

    public static List<String> words(LineKind[] kinds) {
        return Arrays.stream(kinds).map(LineKind::word).collect(Collectors.toList());
    }

    private static List<String> read() {
        try {
            return Files.readAllLines(Paths.get(System.getProperty("protocol", "protocol.txt")), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
