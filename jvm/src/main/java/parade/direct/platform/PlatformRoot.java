package parade.direct.platform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import parade.direct.core.Events;
import parade.direct.core.Wanted;
import parade.listen.PlatformListener;
import parade.listen.TestCase;
import parade.listen.UniqueIdSegments;

/** What the Platform discovers in one class, without Vintage's tests. */
final class PlatformRoot {
    final String name;
    /** The request that the plan was made from. */
    final LauncherDiscoveryRequest whole;
    final TestPlan plan;
    private final Map<String, TestIdentifier> found = new HashMap<>();
    private final List<TestIdentifier> inOrder = new ArrayList<>();
    private final Map<String, Integer> positions = new HashMap<>();
    private final Names names;
    private final ClassLoader loader;
    private boolean hidesTests;
    /** Ids of class templates, by class. */
    private final Map<String, String> templates = new HashMap<>();

    PlatformRoot(String name, LauncherDiscoveryRequest whole, TestPlan plan, ClassLoader loader) {
        this.name = name;
        this.whole = whole;
        this.loader = loader;
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
        hidesTests |= !jupiter && node.isContainer() && node.getParentId().isPresent() && plan.getChildren(node).isEmpty();
        if (jupiter && isClassTemplate(node)) {
            templates.put(names.of(node).className, node.getUniqueId());
        }
        for (TestIdentifier child : plan.getChildren(node)) {
            gather(child);
        }
    }

    private static boolean isClassTemplate(TestIdentifier node) {
        List<String[]> segments = UniqueIdSegments.parse(node.getUniqueId()).segments;
        return !segments.isEmpty() && segments.get(segments.size() - 1)[0].endsWith("class-template");
    }

    private static String key(String className, String name, int occurrence) {
        return className + '\0' + name + '\0' + occurrence;
    }

    /** Are there engines other than Jupiter that may create tests while they run? */
    boolean hidesTests() {
        return hidesTests;
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

    /** Returns null if there is no such test. */
    PlatformTest find(Wanted wanted) {
        TestIdentifier other = found.get(key(wanted.className, wanted.name, wanted.occurrence));
        if (other != null) {
            return new PlatformTest(wanted, other.getUniqueId(), other.getUniqueId(), new int[0], false);
        }
        JupiterSelection selection = new JupiterSelection(wanted.name, wanted.occurrence);
        TestIdentifier node = found.get(key(wanted.className, selection.method, 0));
        String id = node == null ? idInTemplate(wanted.className, selection.method) : node.getUniqueId();
        return id == null ? null : selection.of(wanted, id);
    }

    private String idInTemplate(String className, String method) {
        for (Map.Entry<String, String> template : templates.entrySet()) {
            String outer = template.getKey();
            if (className.equals(outer) || className.startsWith(outer + "$")) {
                return ClassTemplates.idWithin(template.getValue(), outer, className, method, loader);
            }
        }
        return null;
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
