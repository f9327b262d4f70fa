package parade.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import parade.Line;
import parade.listen.EventLog;
import parade.listen.Outcome;
import parade.listen.TestCase;

class WatchdogTest {
    @Test
    void itEndsWithItsOrder() throws Exception {
        Watchdog watchdog = Watchdog.over(new Order(new String[] {"order", "1", "fresh", "1", "sequential", "60000"}));
        int number = EventLog.get().started(new TestCase("a.B", "x", 1, ""));
        EventLog.get().finished(number, Outcome.passed, (String) null);
        assertTrue(watchdog.isAlive() && watchdog.isDaemon());
        watchdog.end();
        watchdog.join(30_000);
        assertFalse(watchdog.isAlive());
    }

    /** The whole runner in a process of its own, as it ends that process. */
    @Test
    void aTestOverItsLimitEndsTheProcess(@TempDir Path folder) throws Exception {
        Path control = Files.write(folder.resolve("control"), Arrays.asList("order\t1\tfresh\t1\tsequential\t300",
            "test\t7\tjunit4\tsamples.Hanging4\tsamples.Hanging4\thangs\t1\t", "go"), StandardCharsets.UTF_8);
        Path events = folder.resolve("events");
        Files.write(events, "00000000000000010000000000000002\n".getBytes(StandardCharsets.US_ASCII));
        try (RandomAccessFile file = new RandomAccessFile(events.toFile(), "r")) {
            ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                System.getProperty("java.class.path"), "parade.direct.Main", control.toString());
            builder.environment().put("PARADE_EVENTS", events.toString());
            builder.redirectErrorStream(true).redirectOutput(folder.resolve("output").toFile());
            Process process = builder.start();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(Watchdog.EXIT_CODE, process.exitValue(), new String(Files.readAllBytes(folder.resolve("output"))));
            assertFalse(Files.exists(control) || Files.exists(events), "no test can find the files");
            assertEquals(Arrays.asList("P", "B", "S 1", "T 1"), told(file));
        }
    }

    /** The kind of each line, with the number of the test where it has one. */
    private static List<String> told(RandomAccessFile file) throws Exception {
        byte[] bytes = new byte[(int) file.length() - 33];
        file.seek(33);
        file.readFully(bytes);
        List<String> told = new ArrayList<>();
        for (String sealed : new String(bytes, StandardCharsets.UTF_8).split("\n")) {
            String[] line = Line.parse(sealed.split("\t", 3)[2]);
            told.add("SFT".contains(line[0]) ? line[0] + " " + line[1] : line[0]);
        }
        return told;
    }
}
