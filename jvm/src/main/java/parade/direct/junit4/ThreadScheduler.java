package parade.direct.junit4;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import org.junit.runners.model.RunnerScheduler;

import parade.direct.core.TestThreads;

/** Runs the children of a JUnit 4 runner on the threads of an order. */
final class ThreadScheduler implements RunnerScheduler {
    private final TestThreads threads;
    private final List<Future<?>> handed = new ArrayList<>();

    ThreadScheduler(TestThreads threads) {
        this.threads = threads;
    }

    @Override
    public void schedule(Runnable child) {
        handed.add(threads.submit(child));
    }

    @Override
    public void finished() {
        TestThreads.await(handed);
        handed.clear();
    }
}
