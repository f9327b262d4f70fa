package harbour;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Something that takes its time without computing anything. */
public final class Tide {
    private Tide() {
    }

    /** Waits for a flood that never comes. */
    public static boolean turns(long millis) throws InterruptedException {
        return !new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }
}
