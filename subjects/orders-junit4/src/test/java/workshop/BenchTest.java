package workshop;

import static org.junit.Assert.assertTrue;

import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;

/** Every entry into the class sets it up, every exit tears it down. */
public class BenchTest {
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
    public void saws() {
        assertTrue(open);
    }

    @Test
    public void planes() {
        assertTrue(open);
    }

    @Ignore("the varnish is not dry")
    @Test
    public void polishes() {
        assertTrue(open);
    }
}
