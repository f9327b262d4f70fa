package licence;

import static org.junit.Assert.assertTrue;

import org.junit.BeforeClass;
import org.junit.Test;

public class EditTest {
    @BeforeClass
    public static void start() {
        Licence.start();
    }

    @Test
    public void cuts() {
        assertTrue(true);
    }

    @Test
    public void pastes() {
        assertTrue(true);
    }
}
