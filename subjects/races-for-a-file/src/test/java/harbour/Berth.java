package harbour;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** One berth for all, in a file: whoever enters waits until another one does, or a second and a half. */
final class Berth {
    private static final Path FILE = Paths.get("target", "berth");
    private static final long PATIENCE_NANOS = 1_500_000_000L;

    private Berth() {
    }

    static String enter(String ship) throws IOException, InterruptedException {
        Files.write(FILE, ship.getBytes(StandardCharsets.UTF_8));
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (ship.equals(who()) && System.nanoTime() < deadline) {
            Tide.turns(20);
        }
        return who();
    }

    private static String who() throws IOException {
        return new String(Files.readAllBytes(FILE), StandardCharsets.UTF_8);
    }
}
