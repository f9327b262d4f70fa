package parade.direct;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;

import parade.direct.core.Events;
import parade.listen.EventLog;
import parade.listen.Reporting;

/**
 * Runs tests as parade orders them, without a build tool. It reads a control file to its end, or a pipe until it is closed,
 * and then exits. The event file records what ran. Nothing is written to standard output.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int status = 0;
        try (InputStream control = open(new File(args[0]))) {
            EventLog.get().open();
            // Listeners that frameworks find by their service files do not report.
            Reporting.claim(Main.class);
            new Session().obey(new ControlReader(control));
        } catch (IOException | RuntimeException error) {
            Events.complain(error.toString());
            status = 1;
        }
        exit(status);
    }

    /** Tests must not read what is asked for, so the file is deleted before the first of them runs. */
    private static InputStream open(File control) throws IOException {
        InputStream stream = control.isFile()
            ? new ByteArrayInputStream(Files.readAllBytes(control.toPath()))
            : new FileInputStream(control);
        if (!control.delete()) {
            throw new IOException("cannot delete " + control);
        }
        return stream;
    }

    /** Exits as a worker of Maven does: shutdown hooks run, and remaining threads are ignored. */
    private static void exit(int status) {
        JvmState.freeSecurity();
        System.exit(status);
    }
}
