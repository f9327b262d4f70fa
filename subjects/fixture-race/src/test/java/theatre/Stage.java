package theatre;

import java.util.concurrent.atomic.AtomicInteger;

/** One company at a time may set its scenery. Whoever is second while the first is at it finds the stage taken. */
final class Stage {
    private static final AtomicInteger COMPANIES = new AtomicInteger();

    private Stage() {
    }

    static void setScenery() throws InterruptedException {
        if (COMPANIES.incrementAndGet() > 1) {
            throw new IllegalStateException("the stage is taken");
        }
        Thread.sleep(2000);
        COMPANIES.set(0);
    }
}
