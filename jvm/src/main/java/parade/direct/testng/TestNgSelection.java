package parade.direct.testng;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import org.testng.IMethodInstance;
import org.testng.ITestNGMethod;

import parade.direct.core.Wanted;
import parade.listen.TestNgReport;

/**
 * The methods that one pass runs, in their order, with the methods that they depend on. Older versions of TestNG go in
 * rounds: each round has all methods whose prerequisites ran in earlier rounds. With these versions, no test of a pass may
 * belong to an earlier round than the test before it. Newer versions keep any order that has prerequisites first.
 *
 * <p>Methods are compared by identity, because TestNG considers one method of two instances as equal.
 */
final class TestNgSelection {
    /** A test: a method of an instance, and the row of its data; -1 for all there is. */
    static final class Place {
        final ITestNGMethod method;
        final int row;
        final int occurrence;

        Place(ITestNGMethod method, int row, int occurrence) {
            this.method = method;
            this.row = row;
            this.occurrence = occurrence;
        }
    }

    /** Old versions of TestNG do not have this class, and go in rounds. */
    private static final boolean GOES_IN_ROUNDS =
        ITestNGMethod.class.getResource("/org/testng/internal/DynamicGraphHelper.class") == null;

    private final List<ITestNGMethod> all = new ArrayList<>();
    private final List<ITestNGMethod> order = new ArrayList<>();
    /** Of the methods in the order. */
    private final Map<ITestNGMethod, Integer> rounds = new IdentityHashMap<>();
    private final Map<ITestNGMethod, List<Integer>> rows = new IdentityHashMap<>();
    private final TestNgDependencies dependencies = new TestNgDependencies(all);
    private ITestNGMethod last;
    private int lastOccurrence;

    TestNgSelection(List<IMethodInstance> methods) {
        for (IMethodInstance instance : methods) {
            all.add(instance.getMethod());
        }
    }

    List<ITestNGMethod> order() {
        return order;
    }

    /** Null where there is none such. Names and numbers are those that the listener gives. */
    Place find(Wanted test) {
        int slash = test.name.lastIndexOf('/');
        int instance = slash < 0 ? -1 : number(test.name.substring(slash + 1));
        String name = instance < 0 ? test.name : test.name.substring(0, slash);
        List<ITestNGMethod> named = named(test.className, name);
        boolean parameters = name.endsWith(")");
        boolean counted = !named.isEmpty() && named.get(0).getInvocationCount() > 1;
        boolean byInstance = instance < 0 && named.size() > 1 && !parameters && !counted;
        int index = byInstance ? test.occurrence : Math.max(1, instance);
        if (index > named.size()) {
            return null;
        }
        int row = parameters && !counted ? test.occurrence - 1 : -1;
        return new Place(named.get(index - 1), row, test.occurrence);
    }

    private List<ITestNGMethod> named(String className, String name) {
        List<ITestNGMethod> named = new ArrayList<>();
        for (ITestNGMethod method : all) {
            if (method.getTestClass().getName().equals(className) && TestNgReport.signature(method).equals(name)) {
                named.add(method);
            }
        }
        return named;
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notAnInstance) {
            return -1;
        }
    }

    /** False where the pass would no longer have its tests in their order. */
    boolean admit(Place place) {
        if (rounds.containsKey(place.method)) {
            return addRow(place);
        }
        List<ITestNGMethod> added = new ArrayList<>();
        int round = require(place.method, added);
        if (GOES_IN_ROUNDS && last != null && round < rounds.get(last)) {
            for (ITestNGMethod method : added) {
                rounds.remove(method);
            }
            return false;
        }
        order.addAll(added);
        last = place.method;
        lastOccurrence = place.occurrence;
        if (place.row >= 0) {
            rows.put(place.method, new ArrayList<Integer>());
            choose(place);
        }
        return true;
    }

    /** Rows run in ascending order as long as their method is the last one. A prerequisite runs with all of its rows. */
    private boolean addRow(Place place) {
        if (last != place.method || lastOccurrence >= place.occurrence) {
            return false;
        }
        lastOccurrence = place.occurrence;
        choose(place);
        return true;
    }

    private void choose(Place place) {
        List<Integer> chosen = rows.get(place.method);
        if (chosen != null) {
            chosen.add(place.row);
            place.method.setInvocationNumbers(new ArrayList<>(chosen));
        }
    }

    /** Adds a method after everything that it needs and the pass does not have yet; returns its round. */
    private int require(ITestNGMethod method, List<ITestNGMethod> added) {
        Integer known = rounds.get(method);
        if (known != null) {
            return known;
        }
        rounds.put(method, 0);
        int round = 0;
        for (ITestNGMethod prerequisite : dependencies.of(method)) {
            round = Math.max(round, require(prerequisite, added) + 1);
        }
        rounds.put(method, round);
        added.add(method);
        return round;
    }
}
