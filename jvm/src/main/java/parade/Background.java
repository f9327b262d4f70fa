package parade;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/**
 * CPU time of this process, and the part of it that the JVM's own threads used: compilers and concurrent collectors. On one
 * core these threads delay the program; on two cores they do not.
 */
public final class Background {
    private static final String[] BESIDE = {"C1 Compiler", "C2 Compiler", "G1 Conc", "G1 Refine"};
    /** Of the kernel's clock for processes. */
    private static final long TICK_NANOS = 10_000_000;

    private Background() {}

    /** A line of a protocol: nanoseconds beside the program, nanoseconds in all. Null where the system does not tell. */
    public static Line line(LineKind kind) {
        try {
            return line(kind, beside(), all());
        } catch (IOException | RuntimeException untold) {
            return null;
        }
    }

    static Line line(LineKind kind, long beside, long all) {
        return new Line(kind).field(beside).field(all);
    }

    private static long beside() throws IOException {
        File[] threads = new File("/proc/self/task").listFiles();
        if (threads == null) {
            throw new IOException("no threads");
        }
        long sum = 0;
        for (File thread : threads) {
            if (isBeside(thread)) {
                sum += Long.parseLong(read(new File(thread, "schedstat")).split(" ")[0]);
            }
        }
        return sum;
    }

    /** A thread can end while it is looked at. */
    private static boolean isBeside(File thread) {
        String name;
        try {
            name = read(new File(thread, "comm"));
        } catch (IOException gone) {
            return false;
        }
        for (String beside : BESIDE) {
            if (name.startsWith(beside)) {
                return true;
            }
        }
        return false;
    }

    /** Reads user and system time, which follow the process name in parentheses. */
    private static long all() throws IOException {
        String stat = read(new File("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_NANOS;
    }

    private static String read(File file) throws IOException {
        return new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
    }
}
