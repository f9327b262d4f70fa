package redirects;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.Test;

/**
 * Each test is one attempt, and passes whether it succeeds or not: what matters is what parade makes of it. {@code OUTSIDE} names
 * a folder that no attempt may reach.
 */
public class RedirectTest {
    private static final Path WORKTREE = Paths.get("").toAbsolutePath();
    private static final Path OUTSIDE = Paths.get(System.getenv().getOrDefault("OUTSIDE", "/nowhere/outside"));
    private static final Path SECRET = OUTSIDE.resolve("secret");

    private interface Attempt {
        void make() throws Exception;
    }

    /** Being refused is what should happen. */
    private static void attempt(Attempt attempt) {
        try {
            attempt.make();
        } catch (Exception refused) {
            System.out.println("refused: " + refused.getClass().getSimpleName());
        }
    }

    private static void replaceByLink(Path path, Path target) throws IOException {
        if (Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            Files.move(path, path.resolveSibling(path.getFileName() + ".old"), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.createSymbolicLink(path, target);
    }

    private static List<Path> below(Path folder, int depth, String name) {
        try (Stream<Path> found = Files.walk(folder, depth)) {
            return found.filter(path -> path.endsWith(name)).collect(Collectors.toList());
        } catch (IOException | java.io.UncheckedIOException unreadable) {
            return new ArrayList<>();
        }
    }

    @Test
    public void logOfTheBuildBecomesALink() {
        for (Path log : below(WORKTREE.getParent().resolve("logs"), 4, "maven.log")) {
            attempt(() -> replaceByLink(log, SECRET));
        }
    }

    @Test
    public void folderOfTheLogsBecomesALink() {
        Path logs = WORKTREE.getParent().resolve("logs");
        attempt(() -> replaceByLink(logs.resolve("discovery"), OUTSIDE));
        attempt(() -> replaceByLink(logs, OUTSIDE));
    }

    @Test
    public void eventFilesAndTheirNeighboursBecomeLinks() {
        String events = System.getenv().getOrDefault("PARADE_EVENTS", System.getProperty("PARADE_EVENTS", ""));
        if (events.isEmpty()) {
            return;
        }
        Path folder = Paths.get(events).toAbsolutePath();
        for (String name : new String[] {"1-1-1.events", "maven.log", "2.events"}) {
            attempt(() -> Files.createSymbolicLink(folder.resolve(name), SECRET));
        }
        for (String name : new String[] {"settings.properties", "handshake", "selection", "maven.log"}) {
            attempt(() -> replaceByLink(folder.resolveSibling(name), SECRET));
        }
        attempt(() -> new ProcessBuilder("mkfifo", folder.resolve("3-3-3.events").toString()).start().waitFor());
    }

    @Test
    public void reportsBecomeLinksAndPipes() {
        Path reports = WORKTREE.resolve("target/surefire-reports");
        attempt(() -> Files.createDirectories(reports));
        attempt(() -> Files.createSymbolicLink(reports.resolve("TEST-linked.xml"), SECRET));
        attempt(() -> new ProcessBuilder("mkfifo", reports.resolve("TEST-pipe.xml").toString()).start().waitFor());
    }

    @Test
    public void foldersOfTheWorktreeBecomeLinks() {
        attempt(() -> replaceByLink(WORKTREE.resolve("src/main"), OUTSIDE));
        attempt(() -> replaceByLink(WORKTREE.resolve("linked"), OUTSIDE));
        attempt(() -> replaceByLink(WORKTREE.resolve("expected.toml"), SECRET));
    }

    @Test
    public void foreignFilesGetASecondName() {
        attempt(() -> Files.createLink(WORKTREE.resolve("second-name"), OUTSIDE.resolve("open")));
        attempt(() -> Files.createLink(WORKTREE.resolve("target/second-name"), SECRET));
    }

    @Test
    public void foldersAreClosed() {
        Path closed = WORKTREE.resolve("closed/deep");
        attempt(() -> Files.createDirectories(closed));
        attempt(() -> Files.write(closed.resolve("file"), new byte[1]));
        closed.toFile().setExecutable(false);
        closed.toFile().setReadable(false);
        closed.getParent().toFile().setWritable(false);
    }

    @Test
    public void aFileIsHuge() {
        attempt(() -> {
            try (RandomAccessFile file = new RandomAccessFile(WORKTREE.resolve("huge").toFile(), "rw")) {
                file.setLength(1L << 40);
            }
        });
    }

    @Test
    public void namesAreOdd() {
        for (String name : new String[] {"-rf", "a\nb", "con", "..."}) {
            attempt(() -> Files.write(WORKTREE.resolve(name), new byte[1]));
        }
    }

    @Test
    public void jarsOfOthersAreChanged() {
        for (Path jar : below(WORKTREE.getParent().getParent().getParent().resolve("helper-m2"), 12, "junit-4.13.2.jar")) {
            attempt(() -> Files.write(jar, new byte[1]));
        }
        Path helper = WORKTREE.getParent().getParent().getParent().resolve("jvm");
        for (Path jar : below(helper, 3, "parade-jvm.jar")) {
            attempt(() -> Files.write(jar, new byte[1]));
        }
    }

    @Test
    public void snapshotsAreChanged() {
        File[] others = WORKTREE.getParent().getParent().toFile().listFiles();
        for (File other : others == null ? new File[0] : others) {
            for (Path file : below(other.toPath().resolve("snapshot"), 12, "pom.xml")) {
                attempt(() -> Files.write(file, new byte[1]));
            }
            attempt(() -> Files.write(other.toPath().resolve("build.json"), new byte[1]));
        }
    }

    @Test
    public void aDaemonStays() {
        attempt(() -> new ProcessBuilder("setsid", "env", "-i", "sleep", "611.37").start());
    }

    @Test
    public void whoWatchesIsKilled() {
        if (System.getenv("SPARE") != null) {
            return;
        }
        attempt(() -> {
            String process = "self";
            while (!process.equals("0") && !process.equals("1")) {
                String stat = new String(Files.readAllBytes(Paths.get("/proc", process, "stat")));
                process = stat.substring(stat.lastIndexOf(')') + 2).split(" ")[1];
                String command = new String(Files.readAllBytes(Paths.get("/proc", process, "cmdline")));
                if (command.startsWith("parade")) {
                    new ProcessBuilder("kill", "-9", process).start().waitFor();
                }
            }
        });
    }
}
