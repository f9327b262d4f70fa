package post;

/** Makes the race a certainty: whoever has written down an addressee waits for the next one to do so, or a second. */
final class Turns {
    private static final long PATIENCE_NANOS = 1_000_000_000L;
    private static int taken;

    private Turns() {
    }

    static synchronized void writeThenWait(Runnable write) throws InterruptedException {
        write.run();
        int mine = ++taken;
        Turns.class.notifyAll();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (long left = PATIENCE_NANOS; taken == mine && left > 0; left = deadline - System.nanoTime()) {
            Turns.class.wait(left / 1_000_000 + 1);
        }
    }
}
