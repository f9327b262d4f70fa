package dinner;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

public class TableTest {
    private static final Object KNIFE = new Object();
    private static final Object FORK = new Object();
    /** Open once each test holds its first lock; in sequence the wait for it runs out. */
    private static final CountDownLatch BOTH_HOLD_ONE = new CountDownLatch(2);

    @Test
    public void knifeThenFork() throws InterruptedException {
        take(KNIFE, FORK);
    }

    @Test
    public void forkThenKnife() throws InterruptedException {
        take(FORK, KNIFE);
    }

    @Test
    public void spoonOnly() throws InterruptedException {
        Thread.sleep(1);
    }

    private static void take(Object first, Object second) throws InterruptedException {
        synchronized (first) {
            BOTH_HOLD_ONE.countDown();
            BOTH_HOLD_ONE.await(1, TimeUnit.SECONDS);
            synchronized (second) {
                Thread.sleep(1);
            }
        }
    }
}
