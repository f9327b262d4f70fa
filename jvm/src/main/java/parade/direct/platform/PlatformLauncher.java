package parade.direct.platform;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import parade.direct.core.Events;

/** The Platform's launcher. It is created once, with all that the subject's service files name. Old versions have no sessions. */
final class PlatformLauncher {
    private static final String PARALLEL = "junit.jupiter.execution.parallel.";

    private final Launcher launcher;
    private final AutoCloseable session;

    private PlatformLauncher(Launcher launcher, AutoCloseable session) {
        this.launcher = launcher;
        this.session = session;
    }

    static PlatformLauncher open() {
        try {
            return Sessions.open();
        } catch (NoSuchMethodError | NoClassDefFoundError beforeSessions) {
            return new PlatformLauncher(LauncherFactory.create(), null);
        }
    }

    void close() {
        try {
            if (session != null) {
                session.close();
            }
        } catch (Exception error) {
            Events.complain(Events.describe(error));
        }
    }

    TestPlan discover(LauncherDiscoveryRequest request) {
        return launcher.discover(request);
    }

    /** All of a class, one after the other. */
    static LauncherDiscoveryRequest wholeClass(Class<?> type) {
        return builder(Collections.singletonList(DiscoverySelectors.selectClass(type))).build();
    }

    /** A request whose tests run one after the other. */
    PlatformRequest request(List<PlatformTest> tests) {
        return request(builder(selectors(tests)).build(), tests);
    }

    /** A request whose tests run at the same time, on this number of threads: methods, or also classes. */
    PlatformRequest parallelRequest(List<PlatformTest> tests, int threads, boolean classesToo) {
        String number = Integer.toString(threads);
        return request(builder(selectors(tests))
            .configurationParameter(PARALLEL + "enabled", "true")
            .configurationParameter(PARALLEL + "mode.default", "concurrent")
            .configurationParameter(PARALLEL + "mode.classes.default", classesToo ? "concurrent" : "same_thread")
            .configurationParameter(PARALLEL + "config.strategy", "fixed")
            .configurationParameter(PARALLEL + "config.fixed.parallelism", number)
            .configurationParameter(PARALLEL + "config.fixed.max-pool-size", number).build(), tests);
    }

    private PlatformRequest request(LauncherDiscoveryRequest request, List<PlatformTest> tests) {
        return new PlatformRequest(this, request, launcher.discover(request), tests);
    }

    private static List<DiscoverySelector> selectors(List<PlatformTest> tests) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (PlatformTest test : tests) {
            selectors.add(DiscoverySelectors.selectUniqueId(test.uniqueId));
        }
        return selectors;
    }

    /** A plan can be run once. Before version 1.4 it cannot be run at all, so the request is run instead. */
    void run(LauncherDiscoveryRequest request, TestPlan plan, TestExecutionListener listener) {
        try {
            launcher.execute(plan, listener);
        } catch (NoSuchMethodError old) {
            launcher.execute(request, listener);
        }
    }

    private static LauncherDiscoveryRequestBuilder builder(List<? extends DiscoverySelector> selectors) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors)
            .filters(EngineFilter.excludeEngines("junit-vintage"))
            .configurationParameter(PARALLEL + "enabled", "false");
    }

    /** A class of its own, so that the classes that it needs are loaded only when it is used. */
    private static final class Sessions {
        static PlatformLauncher open() {
            final LauncherSession session = LauncherFactory.openSession();
            return new PlatformLauncher(session.getLauncher(), new AutoCloseable() {
                @Override
                public void close() {
                    session.close();
                }
            });
        }
    }
}
