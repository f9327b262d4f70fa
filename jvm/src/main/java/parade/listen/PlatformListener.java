package parade.listen;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Reports what runs on the JUnit Platform: Jupiter, Vintage, and any other engine. Found by its service file. */
public class PlatformListener implements TestExecutionListener {
    private final Map<String, Integer> running = new ConcurrentHashMap<>();
    /** Of engines that do not number their tests themselves; by unique id. */
    private final Map<String, Integer> planned = new ConcurrentHashMap<>();
    private final Occurrences occurrences = new Occurrences();
    private volatile boolean reporting;

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        reporting = claim();
        if (reporting) {
            EventLog.get().open();
            number(plan);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        Reporting.release(this);
    }

    /** May it report? */
    protected boolean claim() {
        return Reporting.claim(this);
    }

    /** Numbers the tests of a plan that their engine does not number itself. */
    protected final void number(TestPlan plan) {
        for (TestIdentifier root : plan.getRoots()) {
            number(plan, root);
        }
    }

    @Override
    public void dynamicTestRegistered(TestIdentifier test) {
        if (reporting && test.isTest()) {
            number(test);
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (reporting && test.isTest()) {
            running.put(test.getUniqueId(), EventLog.get().started(identify(test)));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (!reporting) {
            return;
        }
        Throwable thrown = result.getThrowable().orElse(null);
        Outcome outcome = outcome(result, thrown);
        Integer number = running.remove(test.getUniqueId());
        if (number != null) {
            EventLog.get().finished(number, outcome, thrown);
        } else if (outcome != Outcome.passed) {
            EventLog.get().instant(identify(test), outcome, thrown);
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        if (!reporting) {
            return;
        }
        TestCase skipped = identify(test);
        // A Jupiter class that is skipped as a whole never names its tests, and Maven does not count it; JUnit 4 does.
        boolean wholeClass = skipped.name.equals(TestCase.WHOLE_CLASS);
        if (!wholeClass || UniqueIdSegments.parse(test.getUniqueId()).engine.equals("junit-vintage")) {
            EventLog.get().instant(skipped, Outcome.skipped, reason);
        }
    }

    /** Records the end of tests that still run, after the Platform itself has failed. */
    public final void cutOff(Throwable why) {
        for (Integer number : running.values()) {
            EventLog.get().finished(number, Outcome.of(why), why);
        }
        running.clear();
    }

    private static Outcome outcome(TestExecutionResult result, Throwable thrown) {
        switch (result.getStatus()) {
            case SUCCESSFUL:
                return Outcome.passed;
            case ABORTED:
                return Outcome.skipped;
            default:
                return Outcome.of(thrown);
        }
    }

    private void number(TestPlan plan, TestIdentifier node) {
        if (node.isTest()) {
            number(node);
        }
        for (TestIdentifier child : plan.getChildren(node)) {
            number(plan, child);
        }
    }

    private void number(TestIdentifier test) {
        UniqueIdSegments id = UniqueIdSegments.parse(test.getUniqueId());
        if (!id.engine.equals("junit-jupiter")) {
            number(id, test);
        }
    }

    private synchronized void number(UniqueIdSegments id, TestIdentifier test) {
        if (!planned.containsKey(test.getUniqueId())) {
            TestCase unnumbered = identify(id, test);
            String scope = unnumbered.root + "/" + unnumbered.className;
            planned.put(test.getUniqueId(), occurrences.take(scope, unnumbered.name, null));
        }
    }

    protected TestCase identify(TestIdentifier test) {
        UniqueIdSegments id = UniqueIdSegments.parse(test.getUniqueId());
        return id.engine.equals("junit-jupiter") ? JupiterName.of(id, test.getDisplayName()) : identify(id, test);
    }

    /** Vintage tests are called as JUnit 4 calls them; other engines by their source and reporting name. */
    private TestCase identify(UniqueIdSegments id, TestIdentifier test) {
        String legacy = test.getLegacyReportingName();
        JUnit4Name name = id.engine.equals("junit-vintage") ? JUnit4Name.parse(id.lastValue()) : null;
        String className = name != null ? name.className : sourceClass(test, id);
        String plain = TestCase.WHOLE_CLASS;
        if (test.isTest()) {
            plain = JUnit4Name.plain(name != null ? name.full : legacy);
        }
        int occurrence = planned.getOrDefault(test.getUniqueId(), 1);
        boolean hasRunner = id.engine.equals("junit-vintage") && !id.segments.isEmpty();
        String root = hasRunner ? id.segments.get(0)[1] : null;
        return new TestCase(className, plain, occurrence, test.getDisplayName(), root);
    }

    private static String sourceClass(TestIdentifier test, UniqueIdSegments id) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource) {
            return ((MethodSource) source).getClassName();
        }
        if (source instanceof ClassSource) {
            return ((ClassSource) source).getClassName();
        }
        return id.segments.isEmpty() ? id.engine : id.segments.get(0)[1];
    }
}
