package workshop;

import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

@RunWith(Enclosed.class)
public class DrawerTest {
    public static class Empty {
        @Test
        public void slides() {
            assertTrue(true);
        }
    }

    public static class Full {
        @Test
        public void slides() {
            assertTrue(true);
        }

        @Test
        public void jams() {
            assertTrue(true);
        }
    }
}
