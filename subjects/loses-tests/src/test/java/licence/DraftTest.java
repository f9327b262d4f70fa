package licence;

import org.junit.BeforeClass;
import org.junit.Test;

public class DraftTest {
    @BeforeClass
    public static void start() {
        Licence.start();
    }

    @Test
    public void opens() throws InterruptedException {
        Licence.use();
    }

    @Test
    public void saves() throws InterruptedException {
        Licence.use();
    }
}
