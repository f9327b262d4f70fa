package parade.direct.testng;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestNGMethod;
import org.testng.TestNG;

import parade.direct.core.Asked;
import parade.direct.core.Wanted;
import parade.listen.RecordedEvents;
import samples.Plain4;
import samples.TestNgSample;

class TestNgFrameworkTest {
    private final RecordedEvents events = new RecordedEvents();
    private final TestNgFramework framework = new TestNgFramework(getClass().getClassLoader());

    @AfterEach
    void close() {
        framework.close();
    }

    private void run(String... names) {
        framework.run(Asked.of("testng", TestNgSample.class, names));
    }

    /** The methods of the sample, as TestNG gives them to an interceptor. */
    private static List<IMethodInstance> methods() {
        List<IMethodInstance> methods = new ArrayList<>();
        TestNG testNg = new TestNG(false);
        testNg.setVerbose(0);
        testNg.setTestClasses(new Class<?>[] {TestNgSample.class});
        testNg.addListener((Object) (IMethodInterceptor) (all, context) -> {
            if (methods.isEmpty()) {
                methods.addAll(all);
            }
            return Collections.emptyList();
        });
        testNg.run();
        return methods;
    }

    private static List<String> names(List<ITestNGMethod> methods) {
        return methods.stream().map(ITestNGMethod::getMethodName).collect(Collectors.toList());
    }

    private static Wanted wanted(String name) {
        return Asked.of("testng", TestNgSample.class, name).get(0);
    }

    @Test
    void testsRunInTheOrderThatIsAskedFor() {
        run("b", "a");
        assertEquals(Arrays.asList("1", "2"), events.answered());
        assertEquals(Arrays.asList("failed", "passed"), events.outcomes());
    }

    @Test
    void rowsOfADataProviderAreOccurrences() {
        run("rows(int)~3", "rows(int)~2", "a");
        assertEquals(Arrays.asList("1", "2", "3"), events.answered());
        assertEquals(Arrays.asList("passed", "failed", "passed"), events.outcomes());
    }

    @Test
    void whatATestNeedsRunsBeforeIt() {
        run("needs", "a");
        List<String> started = events.started();
        assertTrue(started.indexOf("samples.TestNgSample#needed~1") < started.indexOf("samples.TestNgSample#needs~1"),
            started.toString());
        List<String> asked = events.answered().stream().filter(number -> !number.isEmpty()).collect(Collectors.toList());
        assertEquals(Arrays.asList("1", "2"), asked);
    }

    @Test
    void whatDoesNotExistIsRefused() {
        run("a", "z");
        assertEquals(Collections.singletonList("2 samples.TestNgSample has no test samples.TestNgSample#z"), events.refused());
        assertEquals(Collections.singletonList("1"), events.answered());
    }

    @Test
    void junitsTestsAreRunByJUnit() {
        framework.run(Arrays.asList(Asked.one(1, "testng", Plain4.class.getName(), Plain4.class.getName(), "a"),
            Asked.one(2, "testng", TestNgSample.class.getName(), TestNgSample.class.getName(), "a")));
        assertEquals(Arrays.asList("samples.Plain4#a~1", "samples.TestNgSample#a~1"), events.started());
    }

    @Test
    void testsAreListedByTheirAnnotations() {
        framework.list(TestNgSample.class.getName());
        Set<String> listed = new TreeSet<>(events.listed());
        String name = "samples.TestNgSample#";
        assertEquals(new TreeSet<>(Arrays.asList(name + "a~1", name + "b~1", name + "needed~1", name + "needs~1",
            name + "needsGroup~1", name + "rows(int)~0")), listed);
    }

    @Test
    void dependenciesAreFoundByMethodAndByGroup() {
        List<ITestNGMethod> all = methods().stream().map(IMethodInstance::getMethod).collect(Collectors.toList());
        TestNgDependencies dependencies = new TestNgDependencies(all);
        for (ITestNGMethod method : all) {
            boolean needs = method.getMethodName().startsWith("needs");
            assertEquals(needs ? Collections.singletonList("needed") : Collections.emptyList(), names(dependencies.of(method)),
                method.getMethodName());
        }
    }

    @Test
    void aSelectionHasPrerequisitesFirstAndTakesEachMethodOnce() {
        TestNgSelection selection = new TestNgSelection(methods());
        assertTrue(selection.admit(selection.find(wanted("a"))));
        assertTrue(selection.admit(selection.find(wanted("needs"))));
        assertEquals(Arrays.asList("a", "needed", "needs"), names(selection.order()));
        assertFalse(selection.admit(selection.find(wanted("a"))), "it had its turn");
        assertNull(selection.find(wanted("z")));
    }

    @Test
    void rowsAreTakenByTheirNumberAsLongAsTheirMethodIsTheLast() {
        TestNgSelection selection = new TestNgSelection(methods());
        TestNgSelection.Place second = selection.find(wanted("rows(int)~2"));
        assertEquals(1, second.row);
        assertTrue(selection.admit(second));
        assertTrue(selection.admit(selection.find(wanted("rows(int)~3"))));
        assertEquals(Arrays.asList(1, 2), second.method.getInvocationNumbers());
        assertFalse(selection.admit(selection.find(wanted("rows(int)~1"))));
        assertTrue(selection.admit(selection.find(wanted("a"))));
        assertFalse(selection.admit(selection.find(wanted("rows(int)~4"))));
    }

    @Test
    void entangledMethodsAreThoseThatDependOnOneAnother() {
        TestNgEntangled entangled = new TestNgEntangled(TestNgSample.class);
        assertTrue(entangled.has("needs") && entangled.has("needed"));
        assertFalse(entangled.has("a"));
        assertEquals(new TreeSet<>(Arrays.asList("needs", "needed")), new TreeSet<>(entangled.with("needs")));
        assertEquals(Collections.singleton("a"), entangled.with("a"));
    }
}
