package parade.direct.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import parade.direct.core.Events;
import parade.direct.core.Wanted;
import parade.listen.EventLog;
import parade.listen.PlatformListener;
import parade.listen.TestCase;

/** Tests that are run together, and the plan that the Platform made for them. */
final class PlatformRequest {
    private final PlatformLauncher launcher;
    private final LauncherDiscoveryRequest request;
    private final TestPlan plan;
    private final List<PlatformTest> tests;

    PlatformRequest(PlatformLauncher launcher, LauncherDiscoveryRequest request, TestPlan plan, List<PlatformTest> tests) {
        this.launcher = launcher;
        this.request = request;
        this.plan = plan;
        this.tests = tests;
    }

    /** Does the plan have the tests in the order in which they were asked for? */
    boolean keepsOrder() {
        List<String> asked = new ArrayList<>();
        for (PlatformTest test : tests) {
            if (asked.isEmpty() || !asked.get(asked.size() - 1).equals(test.staticId)) {
                asked.add(test.staticId);
            }
        }
        List<String> planned = new ArrayList<>();
        for (TestIdentifier engine : plan.getRoots()) {
            gather(engine, new HashSet<>(asked), planned);
        }
        return planned.equals(asked);
    }

    private void gather(TestIdentifier node, Set<String> asked, List<String> planned) {
        if (asked.contains(node.getUniqueId())) {
            planned.add(node.getUniqueId());
        }
        for (TestIdentifier child : plan.getChildren(node)) {
            gather(child, asked, planned);
        }
    }

    /** Returns the tests that did not run because another test made the Platform fail. */
    List<PlatformTest> run(Collection<PlatformRoot> roots) {
        Listener listener = new Listener(roots, tests);
        try {
            launcher.run(request, plan, listener);
        } catch (Throwable error) {
            listener.engineFailure = error;
        }
        EventLog.get().settle();
        if (listener.engineFailure != null) {
            listener.cutOff(listener.engineFailure);
            List<PlatformTest> left = unsettled();
            if (left.size() < tests.size()) {
                return left;
            }
            listener.settle(Events.describe(listener.engineFailure));
        }
        listener.settle("it did not run when it was selected");
        return Collections.emptyList();
    }

    private List<PlatformTest> unsettled() {
        List<PlatformTest> left = new ArrayList<>();
        for (PlatformTest test : tests) {
            if (!test.wanted.isSettled()) {
                left.add(test);
            }
        }
        return left;
    }

    private static final class Listener extends PlatformListener {
        private final List<PlatformTest> tests;
        private final Map<String, Wanted> wanted = new HashMap<>();
        /** The failure of a whole engine, which a test caused. The engine reports it or throws it. */
        private Throwable engineFailure;
        private boolean containerFailed;
        private String skipped;

        Listener(Collection<PlatformRoot> roots, List<PlatformTest> tests) {
            this.tests = tests;
            for (PlatformRoot root : roots) {
                number(root.plan);
            }
            for (PlatformTest test : tests) {
                wanted.put(key(test.wanted.className, test.wanted.name, test.wanted.occurrence), test.wanted);
            }
        }

        private static String key(String className, String name, int occurrence) {
            return className + '\0' + name + '\0' + occurrence;
        }

        @Override
        protected boolean claim() {
            return true;
        }

        @Override
        protected synchronized TestCase identify(TestIdentifier identifier) {
            TestCase test = super.identify(identifier);
            Wanted asked = wanted.get(key(test.className, test.name, test.occurrence));
            if (asked == null || asked.isSettled()) {
                return test;
            }
            asked.settle();
            return test.answering(asked.number);
        }

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            boolean failed = result.getStatus() != TestExecutionResult.Status.SUCCESSFUL;
            if (failed && !identifier.getParentId().isPresent()) {
                engineFailure = result.getThrowable().orElse(null);
                return;
            }
            containerFailed |= failed && !identifier.isTest();
            super.executionFinished(identifier, result);
        }

        @Override
        public void executionSkipped(TestIdentifier identifier, String reason) {
            super.executionSkipped(identifier, reason);
            skipped = "skipped: " + reason;
        }

        void settle(String reason) {
            for (PlatformTest test : tests) {
                if (containerFailed) {
                    test.wanted.settle();
                }
                test.wanted.refuse(skipped != null ? skipped : reason);
            }
        }
    }
}
