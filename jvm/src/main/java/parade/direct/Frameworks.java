package parade.direct;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import parade.direct.core.Events;
import parade.direct.core.Framework;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.junit3.JUnit3Framework;
import parade.direct.junit4.JUnit4Framework;
import parade.direct.platform.PlatformFramework;
import parade.direct.testng.TestNgFramework;

/** The frameworks that one thread uses during one order, each created when it is first needed. */
final class Frameworks {
    private final ClassLoader loader;
    private final Map<String, Framework> created = new HashMap<>();

    Frameworks(ClassLoader loader) {
        this.loader = loader;
    }

    void list(String framework, String root) {
        try {
            get(framework).list(root);
        } catch (Throwable error) {
            Events.unlisted(root, Events.describe(error));
        }
    }

    /** Runs tests exactly in their order, whatever frameworks they are of. */
    void run(List<Wanted> tests) {
        int from = 0;
        for (int to = 1; to <= tests.size(); to++) {
            if (to == tests.size() || !tests.get(to).framework.equals(tests.get(from).framework)) {
                runSame(tests.get(from).framework, tests.subList(from, to));
                from = to;
            }
        }
    }

    /** Runs tests of one framework at the same time. */
    void runAtOnce(List<Wanted> tests, TestThreads threads) {
        String reason = "the framework did not run it";
        try {
            get(tests.get(0).framework).runAtOnce(tests, threads);
        } catch (Throwable error) {
            reason = Events.describe(error);
        }
        refuseUnsettled(tests, reason);
    }

    private void runSame(String framework, List<Wanted> tests) {
        String reason = "the framework did not run it";
        try {
            get(framework).run(new ArrayList<>(tests));
        } catch (Throwable error) {
            reason = Events.describe(error);
        }
        refuseUnsettled(tests, reason);
    }

    private static void refuseUnsettled(List<Wanted> tests, String reason) {
        for (Wanted test : tests) {
            test.refuse(reason);
        }
    }

    void close() {
        for (Framework framework : created.values()) {
            try {
                framework.close();
            } catch (Throwable error) {
                Events.complain(Events.describe(error));
            }
        }
    }

    private Framework get(String name) {
        Framework framework = created.get(name);
        if (framework == null) {
            framework = create(name);
            created.put(name, framework);
        }
        return framework;
    }

    private Framework create(String name) {
        switch (name) {
            case "junit3":
                return new JUnit3Framework(loader);
            case "junit4":
                return new JUnit4Framework(loader);
            case "platform":
                return new PlatformFramework(loader);
            case "testng":
                return new TestNgFramework(loader);
            default:
                throw new IllegalArgumentException("no such framework: " + name);
        }
    }
}
