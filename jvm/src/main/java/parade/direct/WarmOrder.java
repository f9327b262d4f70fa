package parade.direct;

import java.io.File;
import java.io.IOException;
import java.util.List;

/** A warm order: it has classes of its own, in a process that runs several orders. The state of the JVM is restored after it. */
final class WarmOrder implements Runnable {
    private final Order order;
    private final FolderLoader loader;

    private WarmOrder(Order order, FolderLoader loader) {
        this.order = order;
        this.loader = loader;
    }

    static void run(Order order, List<File> folders) throws IOException {
        JvmState before = JvmState.capture();
        try (FolderLoader loader = FolderLoader.over(folders)) {
            // A new thread, so that thread-local values and interruptions end with the order. Tests see the usual name.
            Thread thread = new Thread(new WarmOrder(order, loader), "main");
            thread.setContextClassLoader(loader);
            thread.start();
            await(thread);
        } finally {
            before.restore();
        }
    }

    @Override
    public void run() {
        Schedule.run(order, loader);
    }

    private static void await(Thread thread) {
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException byATest) {
                // A test can interrupt every thread. The order goes on.
                continue;
            }
        }
    }
}
