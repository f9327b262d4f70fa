package parade.direct;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

import parade.listen.Reporting;

/**
 * Runs tests as parade orders them, without a build tool: reads a control file to its end, or a pipe until it is closed,
 * and exits. What runs is on record in the event file; nothing is said on standard output.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int status = 0;
        try (InputStream control = new FileInputStream(args[0])) {
            // The listeners that frameworks find by their service files stay silent.
            Reporting.claim(Main.class);
            new Session().obey(new ControlReader(control));
        } catch (IOException | RuntimeException error) {
            Events.complain(error.toString());
            status = 1;
        }
        exit(status);
    }

    /** As a worker of Maven does: shutdown hooks run, threads that are left do not matter. */
    private static void exit(int status) {
        JvmState.freeSecurity();
        System.exit(status);
    }
}
