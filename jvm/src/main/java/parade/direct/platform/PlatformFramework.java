package parade.direct.platform;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.platform.launcher.LauncherDiscoveryRequest;

import parade.direct.core.Events;
import parade.direct.core.Framework;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.junit4.JUnit4Framework;

/**
 * The JUnit Platform. Consecutive tests of one class become one request if the Platform's plan for it keeps their order.
 * Jupiter's `@TestMethodOrder` and similar annotations override requests, and then the request is split. JUnit 4 runs
 * Vintage's tests here, because Vintage selects by names, and names can contain hash codes.
 */
public final class PlatformFramework implements Framework {
    private final ClassLoader loader;
    private final PlatformLauncher launcher = PlatformLauncher.open();
    private final Map<String, PlatformRoot> roots = new HashMap<>();
    private JUnit4Framework vintage;

    public PlatformFramework(ClassLoader loader) {
        this.loader = loader;
    }

    @Override
    public void list(String root) {
        PlatformRoot found;
        try {
            found = root(root);
        } catch (Throwable error) {
            Events.unlisted(root, Events.describe(error));
            return;
        }
        found.list();
        if (hasVintage() && (found.isEmpty() || vintage().canRun(root))) {
            vintage().list(root);
        }
    }

    @Override
    public void run(List<Wanted> tests) {
        int next = 0;
        while (next < tests.size()) {
            next = runSameRoot(tests, next);
        }
    }

    @Override
    public void close() {
        roots.clear();
        if (vintage != null) {
            vintage.close();
        }
        launcher.close();
    }

    /** Tests of one class that follow one another and are of one engine; returns where to go on. */
    private int runSameRoot(List<Wanted> tests, int from) {
        Wanted first = tests.get(from);
        PlatformRoot root;
        try {
            root = root(first.root);
        } catch (Throwable error) {
            first.refuse(Events.describe(error));
            return from + 1;
        }
        int to = from + 1;
        while (to < tests.size() && tests.get(to).root.equals(first.root) && isTogether(root, first, tests.get(to))) {
            to++;
        }
        runTogether(root, tests.subList(from, to));
        return to;
    }

    /** Tests that an engine creates while it runs can come between those that it listed before. Vintage's tests never do. */
    private static boolean isTogether(PlatformRoot root, Wanted first, Wanted other) {
        return root.hidesTests() || (root.find(first) != null) == (root.find(other) != null);
    }

    private void runTogether(PlatformRoot root, List<Wanted> tests) {
        boolean allFound = true;
        for (Wanted test : tests) {
            allFound &= root.find(test) != null;
        }
        if (allFound) {
            runSegments(root, tests);
        } else if (root.hidesTests()) {
            PlatformWhole.run(launcher, root, tests);
        } else if (hasVintage()) {
            vintage().run(tests);
        } else {
            for (Wanted test : tests) {
                test.refuse(root.name + " has no test " + test.describe());
            }
        }
    }

    private void runSegments(PlatformRoot root, List<Wanted> tests) {
        List<PlatformTest> run = new ArrayList<>();
        for (Wanted wanted : tests) {
            PlatformTest test = root.find(wanted);
            if (!run.isEmpty() && !test.canFollow(run)) {
                runSegment(root, run);
                run = new ArrayList<>();
            }
            run.add(test);
        }
        runSegment(root, run);
    }

    /** Jupiter's own threads take the tests; Vintage's are JUnit 4's. */
    @Override
    public void runAtOnce(List<Wanted> tests, TestThreads threads) {
        List<PlatformTest> own = new ArrayList<>();
        List<Wanted> others = new ArrayList<>();
        for (Wanted wanted : tests) {
            PlatformTest test = find(wanted);
            if (test != null) {
                own.add(test);
            } else {
                others.add(wanted);
            }
        }
        boolean classesToo = !isOneClass(tests);
        while (!own.isEmpty()) {
            own = launcher.parallelRequest(own, threads.count, classesToo).run(roots.values());
        }
        if (!others.isEmpty() && hasVintage()) {
            vintage().runAtOnce(others, threads);
        }
    }

    private PlatformTest find(Wanted wanted) {
        try {
            return root(wanted.root).find(wanted);
        } catch (Throwable error) {
            wanted.refuse(Events.describe(error));
            return null;
        }
    }

    private static boolean isOneClass(List<Wanted> tests) {
        for (Wanted test : tests) {
            if (!test.root.equals(tests.get(0).root)) {
                return false;
            }
        }
        return true;
    }

    /** Runs one request if it keeps the order; else pieces that follow the class's own order; else the tests one by one. */
    private void runSegment(PlatformRoot root, List<PlatformTest> tests) {
        if (runWhole(root, tests)) {
            return;
        }
        for (List<PlatformTest> piece : root.ascending(tests)) {
            if (!runWhole(root, piece)) {
                for (PlatformTest test : piece) {
                    runWhole(root, Collections.singletonList(test));
                }
            }
        }
    }

    /** False where the plan has another order, and nothing was run. */
    private boolean runWhole(PlatformRoot root, List<PlatformTest> tests) {
        PlatformRequest request;
        try {
            request = launcher.request(tests);
        } catch (Throwable error) {
            if (tests.size() == 1) {
                tests.get(0).wanted.refuse(Events.describe(error));
            }
            return tests.size() == 1;
        }
        if (tests.size() > 1 && !request.keepsOrder()) {
            return false;
        }
        List<PlatformTest> left = request.run(Collections.singleton(root));
        if (!left.isEmpty()) {
            runSegment(root, left);
        }
        return true;
    }

    private PlatformRoot root(String name) throws ClassNotFoundException {
        PlatformRoot root = roots.get(name);
        if (root == null) {
            LauncherDiscoveryRequest whole = PlatformLauncher.wholeClass(Class.forName(name, false, loader));
            root = new PlatformRoot(name, whole, launcher.discover(whole), loader);
            roots.put(name, root);
        }
        return root;
    }

    private boolean hasVintage() {
        return loader.getResource("org/junit/vintage/engine/VintageTestEngine.class") != null;
    }

    private JUnit4Framework vintage() {
        if (vintage == null) {
            vintage = new JUnit4Framework(loader);
        }
        return vintage;
    }
}
