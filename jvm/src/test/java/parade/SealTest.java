package parade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

class SealTest {
    private static final String KEY = "00000000000000010000000000000002";

    private static String sealed(Seal seal, String line) {
        return new String(seal.seal((line + "\n").getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    @Test
    void theExampleOfTheProtocolIsWritten() {
        assertEquals(Protocol.entry("seal", "-").examples.get(0) + "\n", sealed(new Seal(KEY), "S\t1"));
    }

    @Test
    void linesAreNumberedFromOneOn() {
        Seal seal = new Seal(KEY);
        for (int number = 1; number <= 11; number++) {
            String[] fields = sealed(seal, "x").split("\t");
            assertEquals(Integer.toString(number), fields[1]);
            assertTrue(fields[0].matches("[0-9a-f]{16}"), fields[0]);
            assertEquals("x\n", fields[2]);
        }
    }

    @Test
    void theSealDependsOnKeyNumberAndEveryByte() {
        String first = seal(new Seal(KEY), "a line that is longer than a word");
        assertEquals(first, seal(new Seal(KEY), "a line that is longer than a word"));
        assertNotEquals(first, seal(new Seal(KEY), "a line that is longer than a worx"));
        assertNotEquals(first, seal(new Seal("00000000000000010000000000000003"), "a line that is longer than a word"));
        Seal second = new Seal(KEY);
        seal(second, "before");
        assertNotEquals(first, seal(second, "a line that is longer than a word"));
    }

    private static String seal(Seal seal, String line) {
        return sealed(seal, line).split("\t")[0];
    }
}
