package race;

import org.junit.Test;

/** Long enough to overlap with the other module, however far apart the two processes start. */
public class TortoiseTest {
    @Test
    public void runs() throws InterruptedException {
        Thread.sleep(3000);
    }
}
