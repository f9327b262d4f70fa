package forging;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** What test code finds of the channel by which its outcome is recorded, and what it writes there. */
final class Forging {
    private static final String[] ORDER = order();

    private Forging() {}

    /** What is to be tried: as a file in the class path says, else claims, and those only in parallel. */
    static boolean tries(String kind) {
        String asked = ORDER.length > 0 ? ORDER[0] : Thread.currentThread().getName().equals("main") ? "" : "claims";
        return asked.equals(kind);
    }

    /** A file outside the project that nobody may write to. */
    static String canary() {
        return ORDER.length > 1 ? ORDER[1] : "/nowhere/canary";
    }

    private static String[] order() {
        try (InputStream file = Forging.class.getResourceAsStream("/forge.txt")) {
            if (file == null) {
                return new String[0];
            }
            List<String> lines = new ArrayList<>();
            BufferedReader reader = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
            return lines.toArray(new String[0]);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    static String process() throws IOException {
        return new File("/proc/self").getCanonicalFile().getName();
    }

    /** Descriptors of a process that lead to a file whose name has a part. */
    static List<File> descriptors(String process, String part) throws IOException {
        List<File> found = new ArrayList<>();
        File[] all = new File("/proc/" + process + "/fd").listFiles();
        for (File descriptor : all == null ? new File[0] : all) {
            try {
                if (Files.readSymbolicLink(descriptor.toPath()).toString().contains(part)) {
                    found.add(descriptor);
                }
            } catch (IOException gone) {
                continue;
            }
        }
        return found;
    }

    /** The folder, or the file that was one. */
    static File place() {
        String place = System.getenv("PARADE_EVENTS");
        return new File(place == null ? "/nowhere" : place);
    }

    static String start(int number, String test) {
        long now = System.nanoTime();
        return "S\t" + number + "\t" + System.currentTimeMillis() * 1000 + "\t" + now + "\tmain\t" + test + "\t1\t\n";
    }

    static String end(int number) {
        return "F\t" + number + "\t" + System.currentTimeMillis() * 1000 + "\t" + System.nanoTime() + "\tpassed\t\n";
    }

    /** Whatever the tests' numbers are. */
    static String everythingPassed() {
        StringBuilder text = new StringBuilder();
        for (int number = 1; number < 40; number++) {
            text.append(end(number));
        }
        return text.toString();
    }

    /** To the end of every file of this process that could be the record. */
    static void append(String text) throws IOException {
        for (File descriptor : descriptors(process(), "events")) {
            append(descriptor, text);
        }
    }

    static void append(File target, String text) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(target, "rw")) {
            file.seek(file.length());
            file.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The output of a script. */
    static String script(String script) throws IOException, InterruptedException {
        Process child = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
        StringBuilder said = new StringBuilder();
        BufferedReader output = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            said.append(line).append(' ');
        }
        child.waitFor();
        return said.toString();
    }
}
