package parade.listen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import org.testng.ITestContext;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;

/**
 * What TestNG's listeners have in common. A test has up to two indices: which of the instances that a factory made, and
 * which row of its data provider. The innermost that exists is the occurrence, the other is appended to the name.
 */
public class TestNgReport {
    private final Map<ITestResult, Integer> running = new IdentityHashMap<>();
    private final Map<String, List<Object>> instances = new HashMap<>();
    private final Occurrences occurrences = new Occurrences();

    synchronized void plan(ITestContext context) {
        EventLog.get().open();
        for (ITestNGMethod method : context.getAllTestMethods()) {
            String key = method.getRealClass().getName();
            List<Object> known = instances.get(key);
            if (known == null) {
                known = new ArrayList<>();
                instances.put(key, known);
            }
            for (Object instance : instancesOf(method)) {
                if (instance != null && indexOf(known, instance) < 0) {
                    known.add(instance);
                }
            }
        }
    }

    void started(ITestResult result) {
        int number = EventLog.get().started(identify(result));
        synchronized (this) {
            running.put(result, number);
        }
    }

    protected void ended(ITestResult result, Outcome outcome) {
        Integer number;
        synchronized (this) {
            number = running.remove(result);
        }
        Throwable thrown = outcome == Outcome.passed ? null : result.getThrowable();
        if (number != null) {
            EventLog.get().finished(number, outcome, thrown);
        } else {
            EventLog.get().instant(identify(result), outcome, thrown);
        }
    }

    /** Records the end of tests that still run, after TestNG itself has failed. */
    public final synchronized void cutOff(Throwable why) {
        for (Integer number : running.values()) {
            EventLog.get().finished(number, Outcome.of(why), why);
        }
        running.clear();
    }

    protected void fixtureFailed(ITestResult result) {
        String className = result.getTestClass().getName();
        int occurrence = occurrences.take(className, TestCase.WHOLE_CLASS, null);
        TestCase test = new TestCase(className, TestCase.WHOLE_CLASS, occurrence, result.getName());
        EventLog.get().instant(test, Outcome.of(result.getThrowable()), result.getThrowable());
    }

    protected TestCase identify(ITestResult result) {
        ITestNGMethod method = result.getMethod();
        String className = result.getTestClass().getName();
        String name = signature(method);
        int instance = instanceIndex(method, result);
        int row = rowIndex(result);
        boolean repeated = method.getInvocationCount() > 1;
        if (instance >= 0 && (row >= 0 || repeated)) {
            name += "/" + (instance + 1);
        }
        int occurrence;
        if (repeated || (instance < 0 && row < 0)) {
            occurrence = occurrences.take(className, name, null);
        } else {
            occurrence = (row >= 0 ? row : instance) + 1;
        }
        return new TestCase(className, name, occurrence, null);
    }

    /** The name, with the types of parameters where it has any. */
    public static String signature(ITestNGMethod method) {
        Class<?>[] types = parameterTypes(method);
        if (types.length == 0) {
            // TestNG also runs JUnit's tests, and calls them as JUnit does.
            return JUnit4Name.plain(method.getMethodName());
        }
        StringBuilder name = new StringBuilder(method.getMethodName()).append('(');
        for (int i = 0; i < types.length; i++) {
            name.append(i == 0 ? "" : ", ").append(types[i].getName());
        }
        return name.append(')').toString();
    }

    private static Class<?>[] parameterTypes(ITestNGMethod method) {
        try {
            return method.getConstructorOrMethod().getMethod().getParameterTypes();
        } catch (LinkageError | RuntimeException oldOrForeign) {
            return new Class<?>[0];
        }
    }

    /** -1 where the class has one instance. */
    private synchronized int instanceIndex(ITestNGMethod method, ITestResult result) {
        List<Object> known = instances.get(method.getRealClass().getName());
        if (known == null || known.size() < 2) {
            return -1;
        }
        return indexOf(known, instanceOf(result));
    }

    /** -1 where the test has no parameters. Only TestNG's own class tells the index. */
    private static int rowIndex(ITestResult result) {
        if (result.getParameters() == null || result.getParameters().length == 0) {
            return -1;
        }
        try {
            return (Integer) result.getClass().getMethod("getParameterIndex").invoke(result);
        } catch (ReflectiveOperationException | RuntimeException oldVersion) {
            return -1;
        }
    }

    private static Object[] instancesOf(ITestNGMethod method) {
        try {
            return new Object[] {method.getInstance()};
        } catch (LinkageError oldVersion) {
            return new Object[0];
        }
    }

    private static Object instanceOf(ITestResult result) {
        try {
            return result.getInstance();
        } catch (LinkageError oldVersion) {
            return null;
        }
    }

    private static int indexOf(List<Object> list, Object wanted) {
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) == wanted) {
                return i;
            }
        }
        return -1;
    }
}
