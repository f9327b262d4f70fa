package daemon;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.IOException;
import org.junit.Test;

public class DaemonTest {
    private static final File NOWHERE = new File("/dev/null");

    /** The shell stays, with the marker among its arguments, while its child sleeps. */
    @Test
    public void leavesADaemonBehind() throws IOException, InterruptedException {
        Process launcher = new ProcessBuilder("setsid", "--fork", "sh", "-c", "sleep 3600; true", marker())
            .redirectInput(NOWHERE)
            .redirectOutput(NOWHERE)
            .redirectError(NOWHERE)
            .start();
        assertEquals(0, launcher.waitFor());
    }

    @Test
    public void leavesNothingBehind() {
        assertEquals("/dev/null", NOWHERE.getPath());
    }

    private static String marker() {
        String marker = System.getenv("SUBJECT_MARKER");
        return marker == null ? "parade-detached-process" : marker;
    }
}
