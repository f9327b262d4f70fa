package parade.direct;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;
import org.testng.ITestNGMethod;
import org.testng.TestNG;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

import parade.listen.TestNgFixtureListener;
import parade.listen.TestNgListener;

/** One run of TestNG over the tests that come next, as far as it can have them in their order. */
final class TestNgPass implements IMethodInterceptor {
    private final List<Wanted> tests;
    private final TestNgAnswers answers = new TestNgAnswers();
    private List<IMethodInstance> selected;
    private int taken;

    TestNgPass(List<Wanted> tests) {
        this.tests = tests;
    }

    /** Returns how many tests were answered, at least one. */
    int run(List<Class<?>> classes) {
        String reason = "TestNG did not run it";
        try {
            TestNG testNg = new TestNG(false);
            testNg.setVerbose(0);
            testNg.setXmlSuites(Collections.singletonList(suite(classes)));
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

    private static XmlSuite suite(List<Class<?>> classes) {
        XmlSuite suite = new XmlSuite();
        suite.setName("parade");
        suite.setDataProviderThreadCount(1);
        XmlTest test = new XmlTest(suite);
        test.setName("parade");
        keepNoOrder(test);
        List<XmlClass> listed = new ArrayList<>();
        for (Class<?> type : classes) {
            listed.add(new XmlClass(type));
        }
        test.setXmlClasses(listed);
        return suite;
    }

    /** Its parameter was a text once. Without it, classes can be interleaved. */
    private static void keepNoOrder(XmlTest test) {
        for (Method method : XmlTest.class.getMethods()) {
            if (method.getName().equals("setPreserveOrder")) {
                boolean text = method.getParameterTypes()[0] == String.class;
                invoke(method, test, text ? "false" : (Object) Boolean.FALSE);
                return;
            }
        }
    }

    /** Its parameter is more and more special from version to version. */
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
            return new TestNgFixtureListener(answers);
        } catch (LinkageError beforeFixtures) {
            return new TestNgListener(answers);
        }
    }

    @Override
    public synchronized List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
        if (selected == null) {
            selected = select(methods);
        }
        return selected;
    }

    private List<IMethodInstance> select(List<IMethodInstance> methods) {
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
        return impose(selection.order(), methods);
    }

    private static List<IMethodInstance> impose(List<ITestNGMethod> order, List<IMethodInstance> methods) {
        Map<ITestNGMethod, IMethodInstance> instances = new IdentityHashMap<>();
        for (IMethodInstance instance : methods) {
            instances.put(instance.getMethod(), instance);
        }
        List<IMethodInstance> imposed = new ArrayList<>();
        for (ITestNGMethod method : order) {
            prioritize(method, imposed.size());
            imposed.add(instances.get(method));
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
