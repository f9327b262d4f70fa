package parade.direct.testng;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.testng.annotations.Test;

/**
 * The methods of a class that depend on one another, by their annotations. TestNG before 6.8 does not ask the interceptor
 * about them: they run in every pass that does not exclude them by name. So each has a pass of its own, with the methods
 * that it depends on.
 */
final class TestNgEntangled {
    /** Is this a version before 6.8? That one added listeners of fixtures. */
    static final boolean BYPASS = Test.class.getResource("/org/testng/IConfigurationListener.class") == null;

    private final Map<String, Set<String>> needs = new HashMap<>();
    private final Map<String, Set<String>> groups = new HashMap<>();
    private final Set<String> entangled = new LinkedHashSet<>();

    TestNgEntangled(Class<?> type) {
        for (Method method : type.getMethods()) {
            Test test = method.getAnnotation(Test.class);
            for (String group : test == null ? new String[0] : test.groups()) {
                members(group).add(method.getName());
            }
        }
        for (Method method : type.getMethods()) {
            Test test = method.getAnnotation(Test.class);
            if (test != null) {
                needs.put(method.getName(), needsOf(test));
            }
        }
        for (Map.Entry<String, Set<String>> entry : needs.entrySet()) {
            if (!entry.getValue().isEmpty()) {
                entangled.add(entry.getKey());
                entangled.addAll(entry.getValue());
            }
        }
    }

    private Set<String> needsOf(Test test) {
        Set<String> needed = new LinkedHashSet<>();
        for (String method : test.dependsOnMethods()) {
            needed.add(method.substring(method.lastIndexOf('.') + 1));
        }
        for (String group : test.dependsOnGroups()) {
            needed.addAll(members(group));
        }
        return needed;
    }

    private Set<String> members(String group) {
        Set<String> members = groups.get(group);
        if (members == null) {
            members = new LinkedHashSet<>();
            groups.put(group, members);
        }
        return members;
    }

    boolean has(String method) {
        return entangled.contains(method);
    }

    /** A method with everything that it needs, directly or not. */
    Set<String> with(String method) {
        Set<String> all = new LinkedHashSet<>();
        add(method, all);
        return all;
    }

    private void add(String method, Set<String> all) {
        if (all.add(method) && needs.containsKey(method)) {
            for (String needed : needs.get(method)) {
                add(needed, all);
            }
        }
    }
}
