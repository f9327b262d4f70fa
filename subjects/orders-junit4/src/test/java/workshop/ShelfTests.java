package workshop;

import static org.junit.Assert.assertTrue;

import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Suite;
import org.junit.runners.Suite.SuiteClasses;

/** A suite with a fixture around its members. */
@RunWith(Suite.class)
@SuiteClasses({ShelfTests.Upper.class, ShelfTests.Lower.class})
public class ShelfTests {
    private static boolean mounted;

    @BeforeClass
    public static void mount() {
        mounted = true;
    }

    @AfterClass
    public static void unmount() {
        mounted = false;
    }

    public static class Upper {
        @Test
        public void bears() {
            assertTrue(mounted);
        }

        @Test
        public void hangs() {
            assertTrue(mounted);
        }
    }

    public static class Lower {
        @Test
        public void bears() {
            assertTrue(mounted);
        }
    }
}
