package parade.listen;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import parade.Line;

/** What this process wrote into its event file since this object was made. There is one such file in a process. */
public final class RecordedEvents {
    private static final RandomAccessFile FILE = open();

    private final long from;

    public RecordedEvents() {
        try {
            from = FILE.length();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static RandomAccessFile open() {
        try {
            Path file = Files.createTempFile("events", null);
            Files.write(file, "000102030405060708090a0b0c0d0e0f\n".getBytes(StandardCharsets.US_ASCII));
            RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r");
            System.setProperty("PARADE_EVENTS", file.toString());
            EventLog.get().open();
            return reader;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Kind and fields of each line. */
    public List<String[]> lines() {
        try {
            byte[] bytes = new byte[(int) (FILE.length() - from)];
            FILE.seek(from);
            FILE.readFully(bytes);
            List<String[]> lines = new ArrayList<>();
            String text = new String(bytes, StandardCharsets.UTF_8);
            for (String line : text.isEmpty() ? new String[0] : text.split("\n")) {
                lines.add(Line.parse(line.split("\t", 3)[2]));
            }
            return lines;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    public List<String[]> lines(EventLines.Kind kind) {
        return lines().stream().filter(line -> line[0].equals(kind.word())).collect(Collectors.toList());
    }

    /** The tests that started, as `class#name~occurrence`, in the order in which they started. */
    public List<String> started() {
        return lines(EventLines.Kind.STARTED).stream().map(line -> line[5] + "#" + line[6] + "~" + line[7])
            .collect(Collectors.toList());
    }

    /** The numbers of the requests that were answered by a start, in order; empty for a test that nobody asked for. */
    public List<String> answered() {
        return lines(EventLines.Kind.STARTED).stream().map(line -> line[10]).collect(Collectors.toList());
    }

    public List<String> outcomes() {
        return lines(EventLines.Kind.FINISHED).stream().map(line -> line[4]).collect(Collectors.toList());
    }

    /** What was refused, as `number reason`. */
    public List<String> refused() {
        return lines(EventLines.Kind.REFUSED).stream().map(line -> line[1] + " " + line[2]).collect(Collectors.toList());
    }

    /** What was listed, as `class#name~occurrence`. */
    public List<String> listed() {
        return lines(EventLines.Kind.LISTED).stream().map(line -> line[2] + "#" + line[3] + "~" + line[4])
            .collect(Collectors.toList());
    }
}
