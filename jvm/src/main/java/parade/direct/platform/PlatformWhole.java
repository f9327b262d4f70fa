package parade.direct.platform;

import java.util.List;

import org.junit.platform.launcher.TestIdentifier;

import parade.direct.core.Events;
import parade.direct.core.Wanted;
import parade.listen.EventLog;
import parade.listen.PlatformListener;
import parade.listen.TestCase;

/**
 * For engines that create tests only while they run and do not number them as Jupiter does. The whole class is run, and
 * answers those of the requested tests that come in their order. All other tests that run are recorded as not asked for.
 */
final class PlatformWhole extends PlatformListener {
    private final List<Wanted> tests;
    private int next;

    private PlatformWhole(PlatformRoot root, List<Wanted> tests) {
        this.tests = tests;
        number(root.plan);
    }

    /** Runs the class until all tests are answered. A test that a pass does not run is refused. */
    static void run(PlatformLauncher launcher, PlatformRoot root, List<Wanted> tests) {
        int answered = 0;
        while (answered < tests.size()) {
            PlatformWhole pass = new PlatformWhole(root, tests.subList(answered, tests.size()));
            String reason = root.name + " did not run it";
            try {
                launcher.run(root.whole, launcher.discover(root.whole), pass);
            } catch (Throwable error) {
                pass.cutOff(error);
                reason = Events.describe(error);
            }
            EventLog.get().settle();
            if (pass.next == 0) {
                tests.get(answered).refuse(reason);
            }
            answered += Math.max(1, pass.next);
        }
    }

    @Override
    protected boolean claim() {
        return true;
    }

    @Override
    protected synchronized TestCase identify(TestIdentifier identifier) {
        TestCase test = super.identify(identifier);
        Wanted wanted = next < tests.size() ? tests.get(next) : null;
        boolean same = wanted != null && wanted.className.equals(test.className) && wanted.name.equals(test.name)
            && wanted.occurrence == test.occurrence;
        if (!same) {
            return test;
        }
        next++;
        wanted.settle();
        return test.answering(wanted.number);
    }
}
