package parade.direct;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** The threads on which tests of a parallel order run: as many as the order says, whoever hands them work. */
final class Crew implements ThreadFactory {
    final int threads;
    private final ClassLoader loader;
    private final ExecutorService pool;
    private int hired;

    Crew(int threads, ClassLoader loader) {
        this.threads = threads;
        this.loader = loader;
        pool = Executors.newFixedThreadPool(threads, this);
    }

    @Override
    public synchronized Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "parade-" + ++hired);
        thread.setContextClassLoader(loader);
        return thread;
    }

    Future<?> submit(Runnable work) {
        return pool.submit(work);
    }

    static void await(List<Future<?>> handed) {
        for (Future<?> work : new ArrayList<>(handed)) {
            await(work);
        }
    }

    private static void await(Future<?> work) {
        while (!work.isDone()) {
            try {
                work.get();
            } catch (InterruptedException byATest) {
                // Tests reach every thread; the order goes on.
                continue;
            } catch (ExecutionException | CancellationException ended) {
                // What went wrong is on record where it happened, or its test has no answer and is refused.
                return;
            }
        }
    }

    void dismiss() {
        pool.shutdown();
    }
}
