package parade.direct.junit4;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.internal.runners.ErrorReportingRunner;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunNotifier;

import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.tree.Node;
import parade.direct.tree.Segment;
import parade.direct.tree.Tree;
import parade.direct.tree.TreeFramework;
import parade.listen.JUnit4Listener;
import parade.listen.Occurrences;
import parade.listen.TestCase;

/** JUnit 4, and JUnit 3 tests that it runs. Uses nothing that 4.8 does not have. */
public final class JUnit4Framework extends TreeFramework {
    private final Map<Node, Runner> runners = new IdentityHashMap<>();
    private final Set<String> reported = new HashSet<>();
    private TestThreads threads;

    public JUnit4Framework(ClassLoader loader) {
        super(loader);
    }

    @Override
    protected Node buildNodes(Class<?> root) throws Throwable {
        Runner runner = Request.aClass(root).getRunner();
        Node top = new JUnit4Nodes().runner(runner);
        runners.put(top, runner);
        return top;
    }

    /** Is it a class of JUnit 4 or 3 at all? */
    public boolean canRun(String root) {
        try {
            return !(Request.aClass(Class.forName(root, false, loader)).getRunner() instanceof ErrorReportingRunner);
        } catch (Throwable error) {
            return false;
        }
    }

    @Override
    protected void run(Tree tree, Segment segment) throws Throwable {
        Runner runner = runners.get(tree.top);
        JUnit4Choice.apply(tree, segment);
        for (Node node : segment.choices().keySet()) {
            if (threads != null && node instanceof JUnit4Nodes.Parent) {
                ((JUnit4Nodes.Parent) node).spread(threads);
            }
        }
        Listener listener = new Listener(segment);
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(listener);
        try {
            runner.run(notifier);
        } catch (Throwable thrown) {
            listener.cutOff(thrown);
            throw thrown;
        }
    }

    /** Runs methods of one class at once, as Surefire does. Other runners run their children in sequence. */
    @Override
    public void runAtOnce(List<Wanted> tests, TestThreads threads) {
        this.threads = threads;
        run(tests);
    }

    /** A class that cannot be run has one test that reports the reason. It is recorded once. */
    @Override
    protected String reasonFor(Tree tree) throws Throwable {
        if (!(runners.get(tree.top) instanceof ErrorReportingRunner)) {
            return "";
        }
        if (reported.add(tree.root)) {
            Segment segment = new Segment(tree, new Occurrences());
            segment.arrange();
            run(tree, segment);
        }
        return ": the class cannot be run";
    }

    @Override
    public void close() {
        super.close();
        runners.clear();
    }

    private static final class Listener extends JUnit4Listener {
        private final Segment segment;

        Listener(Segment segment) {
            this.segment = segment;
        }

        @Override
        protected TestCase identify(Description description) {
            return segment.identify(description.getDisplayName());
        }
    }
}
