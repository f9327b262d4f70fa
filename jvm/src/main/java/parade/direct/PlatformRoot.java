package parade.direct;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import parade.listen.PlatformListener;
import parade.listen.TestCase;
import parade.listen.UniqueIdSegments;

/** What the Platform discovers in one class, Vintage's part left out. */
final class PlatformRoot {
    final String name;
    final TestPlan plan;
    private final Map<String, TestIdentifier> found = new HashMap<>();
    private final List<TestIdentifier> inOrder = new ArrayList<>();
    private final Map<String, Integer> positions = new HashMap<>();
    private final Names names;

    PlatformRoot(String name, TestPlan plan) {
        this.name = name;
        this.plan = plan;
        names = new Names(plan);
        for (TestIdentifier engine : plan.getRoots()) {
            gather(engine);
        }
    }

    private void gather(TestIdentifier node) {
        boolean jupiter = UniqueIdSegments.parse(node.getUniqueId()).engine.equals("junit-jupiter");
        if (node.isTest() || jupiter && !names.of(node).isWholeClass()) {
            TestCase test = names.of(node);
            positions.put(node.getUniqueId(), inOrder.size());
            inOrder.add(node);
            found.put(key(test.className, test.name, jupiter ? 0 : test.occurrence), node);
        }
        for (TestIdentifier child : plan.getChildren(node)) {
            gather(child);
        }
    }

    private static String key(String className, String name, int occurrence) {
        return className + '\0' + name + '\0' + occurrence;
    }

    boolean isEmpty() {
        return inOrder.isEmpty();
    }

    /** Templates and factories do not say beforehand how many tests they make: these are listed as number 0. */
    void list() {
        for (TestIdentifier node : inOrder) {
            TestCase test = names.of(node);
            int occurrence = node.isTest() ? test.occurrence : 0;
            Events.listed(name, new TestCase(test.className, test.name, occurrence, test.display));
        }
    }

    /** Null where it has none such. */
    PlatformTest find(Wanted wanted) {
        TestIdentifier other = found.get(key(wanted.className, wanted.name, wanted.occurrence));
        if (other != null) {
            return new PlatformTest(wanted, other.getUniqueId(), other.getUniqueId(), new int[0], 0);
        }
        JupiterSelection selection = new JupiterSelection(wanted.name, wanted.occurrence);
        TestIdentifier node = found.get(key(wanted.className, selection.method, 0));
        return node == null ? null : selection.of(wanted, node.getUniqueId());
    }

    /** Cuts tests into runs that follow the order in which the class itself has them. */
    List<List<PlatformTest>> ascending(List<PlatformTest> tests) {
        List<List<PlatformTest>> runs = new ArrayList<>();
        int last = Integer.MAX_VALUE;
        for (PlatformTest test : tests) {
            int position = positions.get(test.staticId);
            if (position < last) {
                runs.add(new ArrayList<PlatformTest>());
            }
            runs.get(runs.size() - 1).add(test);
            last = position;
        }
        return runs;
    }

    /** Gives the tests of a plan the names that the listener gives them. */
    private static final class Names extends PlatformListener {
        Names(TestPlan plan) {
            number(plan);
        }

        TestCase of(TestIdentifier test) {
            return identify(test);
        }
    }
}
