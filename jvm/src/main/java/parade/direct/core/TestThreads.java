package parade.direct.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** The threads on which the tests of a parallel order run. */
public final class TestThreads implements ThreadFactory {
    public final int count;
    private final ClassLoader loader;
    private final ExecutorService pool;
    private int created;

    public TestThreads(int count, ClassLoader loader) {
        this.count = count;
        this.loader = loader;
        pool = Executors.newFixedThreadPool(count, this);
    }

    @Override
    public synchronized Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "parade-" + ++created);
        thread.setContextClassLoader(loader);
        return thread;
    }

    public Future<?> submit(Runnable work) {
        return pool.submit(work);
    }

    public static void await(List<Future<?>> handed) {
        for (Future<?> work : new ArrayList<>(handed)) {
            await(work);
        }
    }

    private static void await(Future<?> work) {
        while (!work.isDone()) {
            try {
                work.get();
            } catch (InterruptedException byATest) {
                // A test can interrupt every thread. The order goes on.
                continue;
            } catch (ExecutionException | CancellationException ended) {
                // The failure is recorded where it happened. Otherwise its test has no answer, and is refused.
                return;
            }
        }
    }

    public void shutDown() {
        pool.shutdown();
    }
}
