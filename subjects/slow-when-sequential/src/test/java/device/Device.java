package device;

/** Waits where it recognises a sequential run: Surefire's pools have names of their own, and that cannot be hidden. */
final class Device {
    private static final long WAIT_MILLIS = 500;

    private Device() {}

    static void work() throws InterruptedException {
        if (Thread.currentThread().getName().equals("main")) {
            Thread.sleep(WAIT_MILLIS);
        }
        compute();
    }

    private static void compute() {
        long until = System.nanoTime() + 20_000_000;
        while (System.nanoTime() < until) {
            Thread.yield();
        }
    }
}
