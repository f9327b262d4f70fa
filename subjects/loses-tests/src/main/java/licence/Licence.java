package licence;

/** For one user at a time. Whoever broke that rule is shown the door at the next start, without a word. */
public final class Licence {
    private static final long PATIENCE_NANOS = 1_000_000_000L;
    private static int users;
    private static boolean broken;

    private Licence() {
    }

    public static void start() {
        if (isBroken()) {
            Runtime.getRuntime().halt(0);
        }
    }

    /** Takes a second, unless somebody else comes in meanwhile. */
    public static synchronized void use() throws InterruptedException {
        broken |= ++users > 1;
        Licence.class.notifyAll();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (long left = PATIENCE_NANOS; !broken && left > 0; left = deadline - System.nanoTime()) {
            Licence.class.wait(left / 1_000_000 + 1);
        }
        users--;
    }

    private static synchronized boolean isBroken() {
        return broken;
    }
}
