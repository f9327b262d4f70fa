package parade.direct;

import java.io.File;
import java.io.IOException;
import java.util.List;

/** An order with classes of its own, in a process that has run others: what they left behind is put back afterwards. */
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
            // A thread of its own takes its thread-local values and its interruption along. Tests see the usual name.
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
                // Tests reach every thread; the order goes on.
                continue;
            }
        }
    }
}
