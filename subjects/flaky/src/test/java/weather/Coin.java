package weather;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Random;

/**
 * Heads or tails. With {@code FLAKY_COUNTER} naming a file, it alternates, tails first, for as long as the file is kept;
 * without, it is a real coin.
 */
final class Coin {
    private Coin() {
    }

    static boolean heads() throws IOException {
        String counter = System.getenv("FLAKY_COUNTER");
        return counter == null ? new Random().nextBoolean() : next(Paths.get(counter)) % 2 == 0;
    }

    private static synchronized int next(Path counter) throws IOException {
        int next = Files.exists(counter) ? Files.readAllLines(counter).size() + 1 : 1;
        byte[] line = (next + "\n").getBytes(StandardCharsets.US_ASCII);
        Files.write(counter, line, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
        return next;
    }
}
