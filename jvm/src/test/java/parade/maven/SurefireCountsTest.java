package parade.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import parade.Protocol;

class SurefireCountsTest {
    interface Logger {
        void info(String text);

        void debug(String text);
    }

    static class Goal {
        Logger logger;
    }

    static class OldGoal {
        String logger = "no interface";
    }

    private final List<String> said = new ArrayList<>();
    private final Goal goal = new Goal();
    private RandomAccessFile written;
    private Handshake handshake;

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("handshake"));
        written = new RandomAccessFile(file.toFile(), "r");
        handshake = new Handshake(file.toFile(), "00000000000000010000000000000002");
        goal.logger = new Logger() {
            @Override
            public void info(String text) {
                said.add(text);
                if (text.equals("throw")) {
                    throw new IllegalStateException(text);
                }
            }

            @Override
            public void debug(String text) {
                said.add("debug " + text);
            }
        };
        SurefireCounts.follow(new Fields(goal), 1, handshake);
        assertNotNull(goal.logger);
    }

    @AfterEach
    void close() throws Exception {
        written.close();
    }

    private List<String> lines() throws Exception {
        byte[] bytes = new byte[(int) written.length()];
        written.seek(0);
        written.readFully(bytes);
        List<String> lines = new ArrayList<>();
        for (String line : bytes.length == 0 ? new String[0] : new String(bytes, StandardCharsets.UTF_8).split("\n")) {
            lines.add(line.split("\t", 3)[2]);
        }
        return lines;
    }

    @Test
    void aSummaryIsTold() throws Exception {
        goal.logger.info("Tests run: 9, Failures: 1, Errors: 2, Skipped: 3");
        assertEquals(Protocol.entry("handshake", "counted").examples, lines());
    }

    @Test
    void coloursAndFlakesAreUnderstood() throws Exception {
        goal.logger.info("\u001b[1;32mTests run: 4, Failures: 0, Errors: 0, Skipped: 0, Flakes: 2\u001b[m");
        assertEquals(Arrays.asList("counted\t1\t4\t0\t0\t0\t2"), lines());
    }

    /** Surefire says so of each class, and only the last line is of the whole goal. */
    @Test
    void whatIsNoSummaryIsNotTold() throws Exception {
        goal.logger.info("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.B");
        goal.logger.info("a test says Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
        goal.logger.debug("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
        assertEquals(0, lines().size());
        assertEquals(3, said.size(), "everything reaches Surefire's own logger");
    }

    @Test
    void whatTheLoggerThrowsComesThrough() {
        assertThrows(IllegalStateException.class, () -> goal.logger.info("throw"));
    }

    @Test
    void aGoalWithoutSuchALoggerStaysAsItIs() {
        OldGoal old = new OldGoal();
        Object before = old.logger;
        SurefireCounts.follow(new Fields(old), 1, handshake);
        assertSame(before, old.logger);
    }
}
