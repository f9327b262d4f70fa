package parade.direct.junit3;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;

import parade.direct.core.Inside;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.tree.Node;
import parade.direct.tree.Segment;
import parade.direct.tree.Tree;
import parade.direct.tree.TreeFramework;
import parade.listen.EventLog;
import parade.listen.Outcome;

/** JUnit 3 alone. Uses nothing that 3.8 does not have. */
public final class JUnit3Framework extends TreeFramework {
    private final Map<Node, Test> tests = new IdentityHashMap<>();

    public JUnit3Framework(ClassLoader loader) {
        super(loader);
    }

    @Override
    protected Node buildNodes(Class<?> root) throws Throwable {
        Test test = test(root);
        Node top = new JUnit3Nodes().node(test);
        tests.put(top, test);
        return top;
    }

    private static Test test(Class<?> root) throws Throwable {
        Method suite = suiteMethod(root);
        return suite == null ? new TestSuite(root) : (Test) Inside.call(suite, null);
    }

    private static Method suiteMethod(Class<?> root) {
        try {
            Method suite = root.getMethod("suite");
            return Modifier.isStatic(suite.getModifiers()) ? suite : null;
        } catch (NoSuchMethodException none) {
            return null;
        }
    }

    @Override
    protected void run(Tree tree, Segment segment) {
        TestResult result = new TestResult();
        Listener listener = new Listener(segment);
        result.addListener(listener);
        try {
            tests.get(tree.top).run(result);
        } catch (Throwable thrown) {
            listener.cutOff(thrown);
            throw thrown;
        }
    }

    /** JUnit 3 has no class fixtures, so each test runs from a suite of its own. */
    @Override
    public void runAtOnce(List<Wanted> all, TestThreads threads) {
        List<Future<?>> jobs = new ArrayList<>();
        for (final Wanted test : all) {
            jobs.add(threads.submit(new Runnable() {
                @Override
                public void run() {
                    new JUnit3Framework(loader).run(Collections.singletonList(test));
                }
            }));
        }
        TestThreads.await(jobs);
    }

    @Override
    public void close() {
        super.close();
        tests.clear();
    }

    private static final class Listener implements TestListener {
        private final Segment segment;
        private final Map<Test, Ending> running = new IdentityHashMap<>();

        Listener(Segment segment) {
            this.segment = segment;
        }

        @Override
        public synchronized void startTest(Test test) {
            running.put(test, new Ending(EventLog.get().started(segment.identify(test.toString()))));
        }

        @Override
        public synchronized void addError(Test test, Throwable thrown) {
            ended(test, Outcome.error, thrown);
        }

        @Override
        public synchronized void addFailure(Test test, AssertionFailedError thrown) {
            ended(test, Outcome.failed, thrown);
        }

        @Override
        public synchronized void endTest(Test test) {
            Ending ending = running.remove(test);
            if (ending != null) {
                EventLog.get().finished(ending.number, ending.outcome, ending.thrown);
            }
        }

        /** If a decorator's set-up fails, the failure has the decorator's name, and that was never started. */
        private void ended(Test test, Outcome outcome, Throwable thrown) {
            Ending ending = running.get(test);
            if (ending == null) {
                EventLog.get().instant(segment.identify(test.getClass().getName()), outcome, thrown);
            } else if (ending.outcome == Outcome.passed) {
                ending.outcome = outcome;
                ending.thrown = thrown;
            }
        }

        synchronized void cutOff(Throwable thrown) {
            for (Ending ending : running.values()) {
                EventLog.get().finished(ending.number, Outcome.of(thrown), thrown);
            }
            running.clear();
        }
    }

    private static final class Ending {
        final int number;
        Outcome outcome = Outcome.passed;
        Throwable thrown;

        Ending(int number) {
            this.number = number;
        }
    }
}
