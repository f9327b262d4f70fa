package parade.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import parade.Protocol;

class EventFileTest {
    private static final String KEY = "00000000000000010000000000000002";

    @TempDir
    Path folder;

    private static String content(RandomAccessFile file) throws Exception {
        byte[] bytes = new byte[(int) file.length()];
        file.seek(0);
        file.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void aGivenFileLosesItsNameAndItsKey() throws Exception {
        Path file = folder.resolve("events");
        Files.write(file, (KEY + "\n").getBytes(StandardCharsets.US_ASCII));
        try (RandomAccessFile parade = new RandomAccessFile(file.toFile(), "r")) {
            EventFile events = EventFile.open(file.toString(), "1", "42");
            assertFalse(Files.exists(file));
            events.write("S\t1\n".getBytes(StandardCharsets.US_ASCII));
            String zeros = new String(new char[33]);
            assertEquals(zeros + Protocol.entry("seal", "-").examples.get(0) + "\n", content(parade));
        }
    }

    @Test
    void aProcessThatIsNotAnsweredWithAKeyRecordsNothing() throws Exception {
        Path file = folder.resolve("events");
        Files.write(file, "--------------------------------\n".getBytes(StandardCharsets.US_ASCII));
        assertNull(EventFile.open(file.toString(), "1", "42"));
        assertNull(EventFile.open(folder.resolve("missing").toString(), "1", "42"));
    }

    /** Plays the part of parade: opens the file that appears, removes its name and answers with a key. */
    @Test
    void aProcessThatParadeDoesNotKnowAsksForItsKey() throws Exception {
        RandomAccessFile[] held = new RandomAccessFile[1];
        Thread parade = new Thread(() -> {
            try {
                File[] asking = {};
                while (asking.length == 0) {
                    Thread.sleep(1);
                    asking = folder.toFile().listFiles((dir, name) -> name.startsWith("3-42-") && name.endsWith(".events"));
                }
                held[0] = new RandomAccessFile(asking[0], "rw");
                Files.delete(asking[0].toPath());
                held[0].write((KEY + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
        parade.start();
        EventFile events = EventFile.open(folder.toString(), "3", "42");
        parade.join();
        events.write("S\t1\n".getBytes(StandardCharsets.US_ASCII));
        assertTrue(content(held[0]).endsWith(Protocol.entry("seal", "-").examples.get(0) + "\n"));
        held[0].close();
    }
}
