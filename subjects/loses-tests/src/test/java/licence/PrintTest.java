package licence;

import static org.junit.Assert.assertTrue;

import org.junit.BeforeClass;
import org.junit.Test;

public class PrintTest {
    @BeforeClass
    public static void start() {
        Licence.start();
    }

    @Test
    public void prints() {
        assertTrue(true);
    }
}
