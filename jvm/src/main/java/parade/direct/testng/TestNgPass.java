package parade.direct.testng;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;
import org.testng.ITestNGMethod;
import org.testng.TestNG;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

import parade.direct.core.Events;
import parade.direct.core.Wanted;
import parade.listen.TestNgFixtureListener;
import parade.listen.TestNgListener;

/** One run of TestNG: the next tests, as far as TestNG can run them in their order. */
final class TestNgPass implements IMethodInterceptor {
    private final List<Wanted> tests = new ArrayList<>();
    /** The classes, each with the methods to choose from. An empty set stands for all methods. */
    private final Map<Class<?>, Set<String>> classes = new LinkedHashMap<>();
    /** Does the one test of this pass run without the interceptor being asked? */
    private boolean bypassed;
    private final TestNgAnswers answers = new TestNgAnswers();
    private List<ITestNGMethod> selected;
    private int taken;
    private final int threads;

    TestNgPass(int threads) {
        this.threads = threads;
    }

    boolean isEmpty() {
        return tests.isEmpty();
    }

    /** False where a version of TestNG that cannot be asked about a test needs a pass of its own for it. */
    boolean admit(Wanted test, Class<?> type) {
        if (TestNgEntangled.BYPASS && !admitByName(test, type)) {
            return false;
        }
        methods(type);
        tests.add(test);
        return true;
    }

    private boolean admitByName(Wanted test, Class<?> type) {
        String method = test.name.split("[(/]")[0];
        TestNgEntangled entangled = new TestNgEntangled(type);
        if (bypassed || entangled.has(method) && !isEmpty()) {
            return false;
        }
        bypassed = entangled.has(method);
        methods(type).addAll(entangled.with(method));
        return true;
    }

    private Set<String> methods(Class<?> type) {
        Set<String> methods = classes.get(type);
        if (methods == null) {
            methods = new LinkedHashSet<>();
            classes.put(type, methods);
        }
        return methods;
    }

    /** Returns how many tests were answered, at least one. */
    int run() {
        String reason = "TestNG did not run it";
        if (bypassed) {
            answers.expect(tests.get(0));
        }
        try {
            TestNG testNg = new TestNG(false);
            testNg.setVerbose(0);
            testNg.setXmlSuites(Collections.singletonList(suite()));
            addListener(testNg, this);
            addListener(testNg, listener());
            testNg.run();
        } catch (Throwable error) {
            answers.cutOff(error);
            reason = Events.describe(error);
        }
        int answered = Math.max(1, taken);
        for (Wanted test : tests.subList(0, answered)) {
            if (answers.anyTrouble()) {
                test.settle();
            }
            test.refuse(reason);
        }
        return answered;
    }

    private XmlSuite suite() {
        XmlSuite suite = new XmlSuite();
        suite.setName("parade");
        suite.setDataProviderThreadCount(1);
        if (threads > 1) {
            suite.setThreadCount(threads);
            set(suite, XmlSuite.class, "setParallel", "methods");
        }
        XmlTest test = new XmlTest(suite);
        test.setName("parade");
        // Classes can then be interleaved.
        set(test, XmlTest.class, "setPreserveOrder", "false");
        List<XmlClass> listed = new ArrayList<>();
        for (Map.Entry<Class<?>, Set<String>> entry : classes.entrySet()) {
            XmlClass type = new XmlClass(entry.getKey());
            List<XmlInclude> included = new ArrayList<>();
            for (String method : entry.getValue()) {
                included.add(new XmlInclude(method));
            }
            if (!included.isEmpty()) {
                type.setIncludedMethods(included);
            }
            listed.add(type);
        }
        test.setXmlClasses(listed);
        return suite;
    }

    /** Sets a value whose type differs between versions. */
    private static void set(Object target, Class<?> owner, String name, String value) {
        for (Method method : owner.getMethods()) {
            if (method.getName().equals(name)) {
                Class<?> type = method.getParameterTypes()[0];
                invoke(method, target, type == String.class ? value : parse(type, value));
                return;
            }
        }
    }

    private static Object parse(Class<?> type, String value) {
        if (!type.isEnum()) {
            return Boolean.valueOf(value);
        }
        for (Object constant : type.getEnumConstants()) {
            if (constant.toString().equalsIgnoreCase(value)) {
                return constant;
            }
        }
        throw new IllegalStateException("this version of TestNG has no " + value);
    }

    /** Adds a listener. The type of the method's parameter differs between versions. */
    private static void addListener(TestNG testNg, Object listener) {
        Method found = null;
        for (Method method : TestNG.class.getMethods()) {
            boolean fits = method.getName().equals("addListener") && method.getParameterTypes()[0].isInstance(listener);
            if (fits && (found == null || found.getParameterTypes()[0] == Object.class)) {
                found = method;
            }
        }
        if (found == null) {
            throw new IllegalStateException("this version of TestNG takes no listener");
        }
        invoke(found, testNg, listener);
    }

    private static void invoke(Method method, Object target, Object argument) {
        try {
            method.invoke(target, argument);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private TestNgListener listener() {
        try {
            return WithFixtures.listener(answers);
        } catch (LinkageError beforeFixtures) {
            return new TestNgListener(answers);
        }
    }

    /** A class of its own, so that the classes that it needs are loaded only when it is used. */
    private static final class WithFixtures {
        static TestNgListener listener(TestNgAnswers answers) {
            return new TestNgFixtureListener(answers);
        }
    }

    @Override
    public synchronized List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
        if (bypassed) {
            return methods;
        }
        if (selected == null) {
            selected = select(methods);
        }
        return impose(methods);
    }

    private List<ITestNGMethod> select(List<IMethodInstance> methods) {
        TestNgSelection selection = new TestNgSelection(methods);
        for (Wanted test : tests) {
            TestNgSelection.Place place = selection.find(test);
            if (place == null) {
                test.refuse(test.root + " has no test " + test.describe());
            } else if (!selection.admit(place)) {
                break;
            } else {
                answers.expect(test);
            }
            taken++;
        }
        return selection.order();
    }

    /** Some versions ask once for all methods, and again for those of each round. */
    private List<IMethodInstance> impose(List<IMethodInstance> methods) {
        Map<ITestNGMethod, IMethodInstance> instances = new IdentityHashMap<>();
        for (IMethodInstance instance : methods) {
            instances.put(instance.getMethod(), instance);
        }
        List<IMethodInstance> imposed = new ArrayList<>();
        for (int i = 0; i < selected.size(); i++) {
            IMethodInstance instance = instances.get(selected.get(i));
            if (instance != null) {
                prioritize(instance.getMethod(), threads > 1 ? 0 : i);
                imposed.add(instance);
            }
        }
        return imposed;
    }

    /** Declared priorities would win over the order; old versions have none. */
    private static void prioritize(ITestNGMethod method, int priority) {
        try {
            method.setPriority(priority);
        } catch (LinkageError oldVersion) {
            return;
        }
    }
}
