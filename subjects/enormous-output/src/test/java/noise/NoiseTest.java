package noise;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import org.junit.Test;

public class NoiseTest {
    private static final int MEGABYTE = 1 << 20;

    @Test
    public void printsManyLines() {
        String line = text(1023, 'x');
        for (int i = 0; i < megabytes() * 1024 / 2; i++) {
            System.out.println(line);
        }
        assertEquals(1023, line.length());
    }

    @Test
    public void printsOneLine() {
        String part = text(MEGABYTE, 'y');
        for (int i = 0; i < megabytes() / 2; i++) {
            System.out.print(part);
        }
        System.out.println();
        assertEquals(MEGABYTE, part.length());
    }

    @Test
    public void failsAtLength() {
        throw new AssertionError(text(2 * MEGABYTE, 'z'));
    }

    private static int megabytes() {
        String megabytes = System.getenv("OUTPUT_MEGABYTES");
        return megabytes == null ? 64 : Integer.parseInt(megabytes);
    }

    private static String text(int length, char c) {
        char[] chars = new char[length];
        Arrays.fill(chars, c);
        return new String(chars);
    }
}
