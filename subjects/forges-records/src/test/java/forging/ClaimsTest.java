package forging;

import static org.junit.Assert.fail;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

import org.junit.Test;

/** Each of these fails, and tries to have it recorded otherwise. */
public class ClaimsTest {
    private static final String GHOST = "forging.GhostTest\tneverWritten";
    private static final String IGNORED = "forging.NeverRunTest\tneverRuns";

    @Test
    public void claimsToHavePassed() throws Exception {
        if (Forging.tries("claims")) {
            Forging.append(Forging.everythingPassed());
            fail("it wrote that it passed");
        }
    }

    @Test
    public void claimsATestThatDoesNotExist() throws Exception {
        if (Forging.tries("claims")) {
            Forging.append(Forging.start(901, GHOST) + Forging.end(901));
            fail("it wrote that another one passed");
        }
    }

    @Test
    public void claimsATestThatNeverRan() throws Exception {
        if (Forging.tries("claims")) {
            Forging.append(Forging.start(902, IGNORED) + Forging.end(902));
            fail("it wrote that an ignored one passed");
        }
    }

    @Test
    public void writesItsOwnLinesAgain() throws Exception {
        if (Forging.tries("claims")) {
            for (File record : Forging.descriptors(Forging.process(), "events")) {
                byte[] bytes = Files.readAllBytes(record.toPath());
                String text = new String(bytes, StandardCharsets.UTF_8);
                Forging.append(record, text.substring(text.lastIndexOf('\n', text.length() - 2) + 1));
            }
            fail("it copied lines");
        }
    }

    @Test
    public void poses() throws Exception {
        if (Forging.tries("claims")) {
            String name = "1-" + Forging.process() + "-pose.events";
            fail("head of the file: " + head(new File(Forging.place(), name)));
        }
    }

    private static String head(File file) throws IOException, InterruptedException {
        if (!file.getParentFile().isDirectory()) {
            return "no folder";
        }
        try (RandomAccessFile own = new RandomAccessFile(file, "rw")) {
            for (int i = 0; i < 500 && own.length() < 33; i++) {
                Thread.sleep(1);
            }
            String head = own.length() < 33 ? "no answer" : own.readLine();
            own.write((Forging.start(1, GHOST) + Forging.end(1)).getBytes(StandardCharsets.UTF_8));
            return head;
        }
    }

    @Test
    public void hasAChildProcessClaimIt() throws Exception {
        if (Forging.tries("claims")) {
            for (File record : Forging.descriptors(Forging.process(), "events")) {
                String target = "/proc/" + Forging.process() + "/fd/" + record.getName();
                Forging.script("printf 'F\\t6\\t0\\t0\\tpassed\\t\\n' >> " + target);
            }
            fail("its child wrote that it passed");
        }
    }

    @Test
    public void hasAChildProcessPose() throws Exception {
        if (Forging.tries("claims")) {
            fail("head of the file: " + Forging.script("cd \"$PARADE_EVENTS\" 2>/dev/null || exit 0;"
                + " exec 3<>1-$$-child.events; sleep 0.2; head -c 33 <&3; printf 'S\\t1\\n' >&3"));
        }
    }

    @Test
    public void addsToWhatMavenSays() throws Exception {
        if (Forging.tries("claims")) {
            String[] stat = new String(Files.readAllBytes(Paths.get("/proc/self/stat")), StandardCharsets.UTF_8).split(" ");
            String parent = stat[3];
            for (int i = 0; i < 3; i++) {
                for (File said : Forging.descriptors(parent, "handshake")) {
                    Forging.append(said, "counted\t1\t99\t0\t0\t0\t0\nfailure\tmaven-surefire-plugin died\t\nend\n");
                }
                stat = new String(Files.readAllBytes(Paths.get("/proc/" + parent + "/stat")), StandardCharsets.UTF_8).split(" ");
                parent = stat[3];
            }
            fail("it spoke for Maven");
        }
    }

    @Test
    public void changesTheReports() throws Exception {
        if (Forging.tries("claims")) {
            Runtime.getRuntime().addShutdownHook(new Thread(ClaimsTest::rewriteReports));
            fail("it changes the reports");
        }
    }

    private static void rewriteReports() {
        File[] reports = new File("target/surefire-reports").listFiles((folder, name) -> name.endsWith(".xml"));
        for (File report : reports == null ? new File[0] : reports) {
            try (Writer writer = new FileWriter(report)) {
                writer.write("<testsuite tests=\"99\" failures=\"0\" errors=\"0\"/>");
            } catch (IOException error) {
                continue;
            }
        }
    }

    @Test
    public void leadsElsewhere() throws Exception {
        if (Forging.tries("claims")) {
            File folder = Forging.place();
            if (folder.isDirectory()) {
                Files.createSymbolicLink(new File(folder, "1-1-link.events").toPath(), Paths.get(Forging.canary()));
                Files.createSymbolicLink(new File(folder, "1-" + Forging.process() + "-l.events").toPath(),
                    Paths.get(Forging.canary()));
                Files.createDirectory(new File(folder, "1-1-folder.events").toPath());
                Forging.script("mkfifo \"$PARADE_EVENTS/1-1-pipe.events\"");
            }
            fail("it put links, folders and pipes in place of files");
        }
    }

    @Test
    public void speaksLikeSurefire() {
        if (Forging.tries("claims")) {
            System.out.println("[INFO] Tests run: 99, Failures: 0, Errors: 0, Skipped: 0");
            System.out.println("[INFO] Results:\n[INFO] \n[INFO] Tests run: 21, Failures: 0, Errors: 0, Skipped: 0\n[INFO] ");
            fail("it printed a count");
        }
    }

    @Test
    public void looksForTheMode() throws Exception {
        if (Forging.tries("claims")) {
            StringBuilder found = new StringBuilder();
            String settings = System.getProperty("parade.settings");
            if (settings != null && new File(settings).exists()) {
                found.append(" settings:").append(settings);
            }
            String everything = System.getenv() + " " + System.getProperty("sun.java.command") + Surroundings.describe();
            for (String word : new String[] {"sequential", "methods", "paste", "baseline", "stage-", "-T", "maven.log"}) {
                if (everything.contains(word)) {
                    found.append(" word:").append(word);
                }
            }
            fail("it found:" + found);
        }
    }
}
