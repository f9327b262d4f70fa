package parade.direct;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Cuts an order into jobs as its mode wants, and runs them on its threads. */
final class Schedule {
    private Schedule() {}

    static void run(Order order, ClassLoader loader) {
        switch (order.mode) {
            case "sequential":
                runHere(order.tests, loader);
                break;
            case "classes":
                runJobs(sameClass(order.tests), order.threads, loader);
                break;
            case "methods":
                for (List<Wanted> ofClass : sameClass(order.tests)) {
                    runJobs(single(ofClass), order.threads, loader);
                }
                break;
            case "classesAndMethods":
                runJobs(single(order.tests), order.threads, loader);
                break;
            default:
                for (Wanted test : order.tests) {
                    test.refuse("no such mode: " + order.mode);
                }
        }
    }

    private static void runHere(List<Wanted> tests, ClassLoader loader) {
        Frameworks frameworks = new Frameworks(loader);
        frameworks.run(tests);
        frameworks.close();
    }

    /** Maximal runs of tests that follow one another and are of one class. */
    private static List<List<Wanted>> sameClass(List<Wanted> tests) {
        List<List<Wanted>> groups = new ArrayList<>();
        Wanted previous = null;
        for (Wanted test : tests) {
            if (previous == null || !previous.root.equals(test.root) || !previous.framework.equals(test.framework)) {
                groups.add(new ArrayList<Wanted>());
            }
            groups.get(groups.size() - 1).add(test);
            previous = test;
        }
        return groups;
    }

    private static List<List<Wanted>> single(List<Wanted> tests) {
        List<List<Wanted>> jobs = new ArrayList<>();
        for (Wanted test : tests) {
            jobs.add(Collections.singletonList(test));
        }
        return jobs;
    }

    private static void runJobs(List<List<Wanted>> jobs, int threads, ClassLoader loader) {
        AtomicInteger next = new AtomicInteger();
        List<Worker> workers = new ArrayList<>();
        for (int i = 1; i <= Math.min(threads, jobs.size()); i++) {
            Worker worker = new Worker("parade-" + i, jobs, next, loader);
            workers.add(worker);
            worker.start();
        }
        for (Worker worker : workers) {
            worker.await();
        }
    }

    /** Takes the next job until none is left. */
    private static final class Worker extends Thread {
        private final List<List<Wanted>> jobs;
        private final AtomicInteger next;
        private final ClassLoader loader;

        Worker(String name, List<List<Wanted>> jobs, AtomicInteger next, ClassLoader loader) {
            super(name);
            this.jobs = jobs;
            this.next = next;
            this.loader = loader;
            setContextClassLoader(loader);
        }

        @Override
        public void run() {
            Frameworks frameworks = new Frameworks(loader);
            for (int i = next.getAndIncrement(); i < jobs.size(); i = next.getAndIncrement()) {
                frameworks.run(jobs.get(i));
            }
            frameworks.close();
        }

        void await() {
            while (isAlive()) {
                try {
                    join();
                } catch (InterruptedException byATest) {
                    // Tests reach every thread; the order goes on.
                    continue;
                }
            }
        }
    }
}
