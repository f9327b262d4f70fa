package parade.direct.testng;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import parade.direct.core.Events;
import parade.direct.core.Framework;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.junit3.JUnit3Framework;
import parade.direct.junit4.JUnit4Framework;

/**
 * TestNG. One pass runs as many tests as it can in their order, of any classes: TestNG sets a class up before its first test
 * and tears it down after its last. Another pass is needed for a test that comes a second time, and for a dependency that
 * TestNG would satisfy in another order. JUnit's tests, which TestNG can run too, are run by JUnit.
 */
public final class TestNgFramework implements Framework {
    private final ClassLoader loader;
    private final Map<String, Boolean> own = new LinkedHashMap<>();
    private Framework junit;
    private int threadCount = 1;

    public TestNgFramework(ClassLoader loader) {
        this.loader = loader;
    }

    /** By annotations alone: TestNG itself cannot tell without running what comes before a suite. */
    @Override
    public void list(String root) {
        try {
            if (isOwn(root)) {
                TestNgListing.list(root, Class.forName(root, false, loader));
            } else {
                junit().list(root);
            }
        } catch (ClassNotFoundException | LinkageError error) {
            Events.unlisted(root, Events.describe(error));
        }
    }

    @Override
    public void run(List<Wanted> tests) {
        int from = 0;
        for (int to = 1; to <= tests.size(); to++) {
            if (to == tests.size() || isOwn(tests.get(to).root) != isOwn(tests.get(from).root)) {
                runSame(tests.subList(from, to));
                from = to;
            }
        }
    }

    /** TestNG's own threads take the tests; JUnit's are run by JUnit. */
    @Override
    public void runAtOnce(List<Wanted> tests, TestThreads threads) {
        threadCount = threads.count;
        List<Wanted> mine = new ArrayList<>();
        List<Wanted> others = new ArrayList<>();
        for (Wanted test : tests) {
            (isOwn(test.root) ? mine : others).add(test);
        }
        if (!mine.isEmpty()) {
            runSame(mine);
        }
        if (!others.isEmpty()) {
            junit().runAtOnce(others, threads);
        }
    }

    @Override
    public void close() {
        if (junit != null) {
            junit.close();
        }
    }

    private void runSame(List<Wanted> tests) {
        if (!isOwn(tests.get(0).root)) {
            junit().run(tests);
            return;
        }
        int next = 0;
        while (next < tests.size()) {
            next += runPass(tests.subList(next, tests.size()));
        }
    }

    /** Returns how many were answered, at least one. */
    private int runPass(List<Wanted> tests) {
        TestNgPass pass = new TestNgPass(threadCount);
        for (Wanted test : tests) {
            try {
                if (!pass.admit(test, Class.forName(test.root, false, loader))) {
                    break;
                }
            } catch (ClassNotFoundException | LinkageError error) {
                if (!pass.isEmpty()) {
                    break;
                }
                test.refuse(Events.describe(error));
                return 1;
            }
        }
        return pass.run();
    }

    private boolean isOwn(String root) {
        Boolean known = own.get(root);
        if (known == null) {
            known = isAnnotated(root);
            own.put(root, known);
        }
        return known;
    }

    /** A class that cannot be loaded counts as TestNG's, which then reports the reason. */
    private boolean isAnnotated(String root) {
        try {
            Class<?> type = Class.forName(root, false, loader);
            for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
                if (ofTestNg(each.getAnnotations())) {
                    return true;
                }
                for (Method method : each.getDeclaredMethods()) {
                    if (ofTestNg(method.getAnnotations())) {
                        return true;
                    }
                }
            }
            return false;
        } catch (ClassNotFoundException | LinkageError error) {
            return true;
        }
    }

    private static boolean ofTestNg(Annotation[] annotations) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getName().startsWith("org.testng.annotations.")) {
                return true;
            }
        }
        return false;
    }

    private Framework junit() {
        if (junit == null) {
            boolean has4 = loader.getResource("org/junit/runner/Request.class") != null;
            junit = has4 ? new JUnit4Framework(loader) : new JUnit3Framework(loader);
        }
        return junit;
    }
}
