package samples;

import java.util.ArrayList;
import java.util.List;

import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.notification.RunNotifier;

/** Runs with a runner that is none of JUnit's own, and lets itself be filtered. */
@RunWith(Opaque4.Own.class)
public class Opaque4 {
    public static class Own extends Runner implements Filterable {
        private final List<Description> tests = new ArrayList<>();

        public Own(Class<?> type) {
            for (String name : new String[] {"one", "two", "three"}) {
                tests.add(Description.createTestDescription(type, name));
            }
        }

        @Override
        public Description getDescription() {
            Description description = Description.createSuiteDescription(Opaque4.class);
            tests.forEach(description::addChild);
            return description;
        }

        @Override
        public void filter(Filter filter) {
            tests.removeIf(test -> !filter.shouldRun(test));
        }

        @Override
        public void run(RunNotifier notifier) {
            for (Description child : tests) {
                notifier.fireTestStarted(child);
                notifier.fireTestFinished(child);
            }
        }
    }
}
