package parade.direct.testng;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.PatternSyntaxException;

import org.testng.ITestNGMethod;

/** What TestNG's methods declare to depend on, by methods and by groups. */
final class TestNgDependencies {
    private final List<ITestNGMethod> all;
    private final Map<ITestNGMethod, List<ITestNGMethod>> known = new IdentityHashMap<>();

    /** Searches among these methods. The list may grow later. */
    TestNgDependencies(List<ITestNGMethod> all) {
        this.all = all;
    }

    List<ITestNGMethod> of(ITestNGMethod method) {
        List<ITestNGMethod> found = known.get(method);
        if (found == null) {
            found = find(method);
            known.put(method, found);
        }
        return found;
    }

    private List<ITestNGMethod> find(ITestNGMethod method) {
        List<ITestNGMethod> found = new ArrayList<>();
        String[] methods = method.getMethodsDependedUpon();
        String[] groups = method.getGroupsDependedUpon();
        if (methods.length == 0 && groups.length == 0) {
            return found;
        }
        for (ITestNGMethod other : all) {
            if (other != method && (isNamed(methods, other) || isInGroup(groups, other))) {
                found.add(other);
            }
        }
        return found;
    }

    private static boolean isNamed(String[] patterns, ITestNGMethod other) {
        String entered = other.getTestClass().getName() + "." + other.getMethodName();
        String declared = other.getRealClass().getName() + "." + other.getMethodName();
        for (String pattern : patterns) {
            if (pattern.equals(entered) || pattern.equals(declared) || matches(pattern, declared)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInGroup(String[] patterns, ITestNGMethod other) {
        for (String pattern : patterns) {
            for (String group : other.getGroups()) {
                if (group.equals(pattern) || matches(pattern, group)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Names are patterns to TestNG, with the dollar sign of inner classes taken literally. */
    private static boolean matches(String pattern, String text) {
        try {
            return text.matches(pattern.replace("$", "\\$"));
        } catch (PatternSyntaxException plainName) {
            return false;
        }
    }
}
