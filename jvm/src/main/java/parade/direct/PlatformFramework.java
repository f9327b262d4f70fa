package parade.direct;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.platform.launcher.LauncherDiscoveryRequest;

/**
 * The JUnit Platform. Tests of one class that follow one another become one request, where the plan that the Platform makes of
 * it has them in their order: Jupiter's `@TestMethodOrder` and its like win over requests, and then the run is cut. What
 * Vintage would run, JUnit 4 runs here: Vintage selects by names, which can hold hash codes.
 */
final class PlatformFramework implements Framework {
    private final ClassLoader loader;
    private final PlatformLauncher launcher = PlatformLauncher.open();
    private final Map<String, PlatformRoot> roots = new HashMap<>();
    private JUnit4Framework vintage;

    PlatformFramework(ClassLoader loader) {
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
        boolean ownEngine = root.find(first) != null;
        int to = from;
        while (to < tests.size() && tests.get(to).root.equals(first.root) && (root.find(tests.get(to)) != null) == ownEngine) {
            to++;
        }
        List<Wanted> same = tests.subList(from, to);
        if (ownEngine) {
            runSegments(root, same);
        } else if (root.hidesTests()) {
            PlatformWhole.run(launcher, root, same);
        } else if (hasVintage()) {
            vintage().run(same);
        } else {
            for (Wanted test : same) {
                test.refuse(first.root + " has no test " + test.describe());
            }
        }
        return to;
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
    public void runAtOnce(List<Wanted> tests, Crew crew) {
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
            own = launcher.parallelRequest(own, crew.threads, classesToo).run(roots.values());
        }
        if (!others.isEmpty() && hasVintage()) {
            vintage().runAtOnce(others, crew);
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

    /** As one request if the order comes out right; else in pieces that follow the class's own order; else one by one. */
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
