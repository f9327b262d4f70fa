package parade.direct;

import java.util.ArrayList;
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

/** The Platform's launcher, created once, with all that the subject's service files bring; older versions have no sessions. */
final class PlatformLauncher {
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
            System.err.println("parade: " + Events.describe(error));
        }
    }

    TestPlan discover(List<? extends DiscoverySelector> selectors) {
        return launcher.discover(build(selectors));
    }

    PlatformRequest request(List<PlatformTest> tests) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (PlatformTest test : tests) {
            selectors.add(DiscoverySelectors.selectUniqueId(test.uniqueId));
        }
        LauncherDiscoveryRequest request = build(selectors);
        return new PlatformRequest(this, request, launcher.discover(request), tests);
    }

    /** A plan can be run once, and before version 1.4 not at all: then what it was made of is. */
    void run(LauncherDiscoveryRequest request, TestPlan plan, TestExecutionListener listener) {
        try {
            launcher.execute(plan, listener);
        } catch (NoSuchMethodError old) {
            launcher.execute(request, listener);
        }
    }

    private static LauncherDiscoveryRequest build(List<? extends DiscoverySelector> selectors) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors)
            .filters(EngineFilter.excludeEngines("junit-vintage"))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false").build();
    }

    /** Apart, so that its classes are looked for only when it is used. */
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
