package parade.listen;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Decides which listener reports in this process. A test can itself start a test framework, which finds listeners by the
 * same service files. Only the run that began first is the suite's.
 */
public final class Reporting {
    private static final AtomicReference<Object> OWNER = new AtomicReference<>();

    private Reporting() {}

    public static boolean claim(Object listener) {
        return OWNER.compareAndSet(null, listener) || OWNER.get() == listener;
    }

    static void release(Object listener) {
        OWNER.compareAndSet(listener, null);
    }
}
