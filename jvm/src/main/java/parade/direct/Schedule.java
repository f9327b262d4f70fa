package parade.direct;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;

/** Cuts an order into jobs as its mode wants, and has them run on as many threads as it says. */
final class Schedule {
    private Schedule() {}

    static void run(Order order, ClassLoader loader) {
        switch (order.mode) {
            case "sequential":
                runInOrder(order.tests, loader);
                break;
            case "classes":
                runClasses(order, loader);
                break;
            case "methods":
                runMethods(order, loader);
                break;
            case "classesAndMethods":
                runBoth(order, loader);
                break;
            default:
                for (Wanted test : order.tests) {
                    test.refuse("no such mode: " + order.mode);
                }
        }
    }

    private static void runInOrder(List<Wanted> tests, ClassLoader loader) {
        Frameworks frameworks = new Frameworks(loader);
        frameworks.run(tests);
        frameworks.close();
    }

    /** Each class is a job, its tests in their order. */
    private static void runClasses(Order order, final ClassLoader loader) {
        TestThreads threads = new TestThreads(order.threads, loader);
        List<Future<?>> jobs = new ArrayList<>();
        for (final List<Wanted> ofClass : sameClass(order.tests)) {
            jobs.add(threads.submit(new Runnable() {
                @Override
                public void run() {
                    runInOrder(ofClass, loader);
                }
            }));
        }
        TestThreads.await(jobs);
        threads.shutDown();
    }

    /** One class after the other, its tests at once. */
    private static void runMethods(Order order, ClassLoader loader) {
        TestThreads threads = new TestThreads(order.threads, loader);
        Frameworks frameworks = new Frameworks(loader);
        for (List<Wanted> ofClass : sameClass(order.tests)) {
            frameworks.runAtOnce(ofClass, threads);
        }
        frameworks.close();
        threads.shutDown();
    }

    /** Runs as many classes at once as there are threads for tests. The threads that drive the classes are not counted. */
    private static void runBoth(Order order, final ClassLoader loader) {
        final TestThreads threads = new TestThreads(order.threads, loader);
        TestThreads classThreads = new TestThreads(order.threads, loader);
        List<Future<?>> jobs = new ArrayList<>();
        for (final List<Wanted> together : sameClassOrRunner(order.tests)) {
            jobs.add(classThreads.submit(new Runnable() {
                @Override
                public void run() {
                    Frameworks frameworks = new Frameworks(loader);
                    frameworks.runAtOnce(together, threads);
                    frameworks.close();
                }
            }));
        }
        TestThreads.await(jobs);
        classThreads.shutDown();
        threads.shutDown();
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

    /** The Platform and TestNG have threads of their own, and must therefore be asked once for all classes. */
    private static List<List<Wanted>> sameClassOrRunner(List<Wanted> tests) {
        List<Wanted> byPlatform = new ArrayList<>();
        List<Wanted> byTestNg = new ArrayList<>();
        List<Wanted> others = new ArrayList<>();
        for (Wanted test : tests) {
            boolean platform = test.framework.equals("platform");
            (platform ? byPlatform : test.framework.equals("testng") ? byTestNg : others).add(test);
        }
        List<List<Wanted>> groups = sameClass(others);
        if (!byPlatform.isEmpty()) {
            groups.add(byPlatform);
        }
        if (!byTestNg.isEmpty()) {
            groups.add(byTestNg);
        }
        return groups;
    }
}
