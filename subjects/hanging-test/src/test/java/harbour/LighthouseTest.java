package harbour;

import java.util.concurrent.CountDownLatch;
import org.junit.Test;

public class LighthouseTest {
    @Test
    public void waitsForAShipThatNeverComes() throws InterruptedException {
        new CountDownLatch(1).await();
    }
}
