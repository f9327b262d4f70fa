package attic;

import static org.junit.Assert.assertTrue;

import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

public class ChestTest {
    private static boolean open;

    @BeforeClass
    public static void open() {
        open = true;
    }

    @AfterClass
    public static void close() {
        open = false;
    }

    @Test
    public void creaks() {
        assertTrue(open);
    }

    @Test
    public void holds() {
        assertTrue(open);
    }

    @Test
    public void locks() {
        assertTrue(open);
    }
}
