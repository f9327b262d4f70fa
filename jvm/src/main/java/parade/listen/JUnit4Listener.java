package parade.listen;

import org.junit.runner.Description;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Reports JUnit 3 and JUnit 4 tests where Surefire runs them through JUnit 4. */
@RunListener.ThreadSafe
public class JUnit4Listener extends RunListener {
    private final Running<String> running = new Running<>();
    private final Occurrences occurrences = new Occurrences();
    private volatile String lastClass = "unknown";

    @Override
    public void testRunStarted(Description description) {
        Reporting.claim(this);
        EventLog.get().open();
        // Old versions of Surefire give no description.
        if (description != null) {
            plan(description);
        }
    }

    @Override
    public void testRunFinished(Result result) {
        Reporting.release(this);
    }

    @Override
    public void testStarted(Description description) {
        int number = EventLog.get().started(identify(description));
        running.add(description.getDisplayName(), new Running.Entry(number));
    }

    @Override
    public void testFinished(Description description) {
        Running.Entry test = running.remove(description.getDisplayName());
        if (test != null) {
            EventLog.get().finished(test.number, test.outcome, test.thrown);
        }
    }

    @Override
    public void testFailure(Failure failure) {
        ended(failure, Outcome.of(failure.getException()));
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        ended(failure, Outcome.skipped);
    }

    @Override
    public void testIgnored(Description description) {
        EventLog.get().instant(identify(description), Outcome.skipped, (String) null);
    }

    /** Records the end of tests that still run, after the framework itself has failed. */
    public final void cutOff(Throwable why) {
        for (Running.Entry test : running.drain()) {
            test.ended(Outcome.of(why), why);
            EventLog.get().finished(test.number, test.outcome, test.thrown);
        }
    }

    private void ended(Failure failure, Outcome outcome) {
        Description description = failure.getDescription();
        Running.Entry test = running.find(description.getDisplayName());
        if (test != null) {
            test.ended(outcome, failure.getException());
        } else {
            EventLog.get().instant(identify(description), outcome, failure.getException());
        }
    }

    private void plan(Description description) {
        for (Description child : description.getChildren()) {
            plan(child);
        }
        JUnit4Name name = description.isTest() ? JUnit4Name.parse(description.getDisplayName()) : null;
        if (name != null) {
            occurrences.plan(name.className, name.plain(), name.full);
        }
    }

    protected TestCase identify(Description description) {
        String display = description.getDisplayName();
        JUnit4Name name = JUnit4Name.parse(display);
        if (name == null) {
            String className = display.startsWith("[") ? lastClass : display;
            int occurrence = occurrences.take(className, TestCase.WHOLE_CLASS, null);
            return new TestCase(className, TestCase.WHOLE_CLASS, occurrence, display);
        }
        lastClass = name.className;
        String plain = name.plain();
        int occurrence = occurrences.take(name.className, plain, name.full);
        return new TestCase(name.className, plain, occurrence, name.full);
    }
}
