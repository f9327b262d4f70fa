package parade.direct.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import parade.direct.core.Asked;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.listen.RecordedEvents;
import samples.JupiterSample;
import samples.OrderedSample;

class PlatformFrameworkTest {
    private final RecordedEvents events = new RecordedEvents();
    private final PlatformFramework framework = new PlatformFramework(getClass().getClassLoader());

    @AfterEach
    void close() {
        framework.close();
    }

    private void run(Class<?> root, String... names) {
        framework.run(Asked.of("platform", root, names));
    }

    @Test
    void testsRunInTheOrderThatIsAskedForInOneRequest() {
        int before = JupiterSample.setUps;
        run(JupiterSample.class, "p(int)~2", "b", "p(int)~3", "f~2", "a");
        assertEquals(Arrays.asList("1", "2", "3", "4", "5"), events.answered());
        assertEquals(Arrays.asList("failed", "failed", "passed", "passed", "passed"), events.outcomes());
        assertTrue(JupiterSample.setUps > before);
    }

    @Test
    void neighboursOfOneClassShareItsSetUp() {
        int before = JupiterSample.setUps;
        run(JupiterSample.class, "b", "a");
        assertEquals(1, JupiterSample.setUps - before);
        assertEquals(Arrays.asList("1", "2"), events.answered());
    }

    @Test
    void anOrderOfTheClassesOwnIsOvercome() {
        run(OrderedSample.class, "c", "a", "b");
        assertEquals(Arrays.asList("samples.OrderedSample#c~1", "samples.OrderedSample#a~1", "samples.OrderedSample#b~1"),
            events.started());
    }

    @Test
    void aSkippedTestIsAnAnswer() {
        run(JupiterSample.class, "c");
        assertEquals(Collections.singletonList("skipped"), events.outcomes());
        assertTrue(events.refused().isEmpty());
    }

    @Test
    void nestedClassesAreNamedByADollarSign() {
        Wanted nested = Asked.one(4, "platform", JupiterSample.class.getName(), JupiterSample.class.getName() + "$Inner", "n");
        framework.run(Collections.singletonList(nested));
        assertEquals(Collections.singletonList("4"), events.answered());
    }

    @Test
    void whatDoesNotExistIsRefused() {
        run(JupiterSample.class, "z");
        run(JupiterSample.class, "p(int)~9");
        assertEquals("1 samples.JupiterSample has no test samples.JupiterSample#z", events.refused().get(0));
        assertEquals("1 it did not run when it was selected", events.refused().get(1));
        framework.run(Collections.singletonList(Asked.one(3, "platform", "samples.Missing", "samples.Missing", "x")));
        assertEquals("3 java.lang.ClassNotFoundException: samples.Missing", events.refused().get(2));
    }

    @Test
    void testsAreListedAndTemplatesAsNumberZero() {
        framework.list(JupiterSample.class.getName());
        Set<String> listed = new TreeSet<>(events.listed());
        String name = "samples.JupiterSample";
        assertEquals(new TreeSet<>(Arrays.asList(name + "#a~1", name + "#b~1", name + "#c~1", name + "#p(int)~0", name + "#f~0",
            name + "$Inner#n~1")), listed);
    }

    @Test
    void testsRunAtOnceOnThreadsOfTheEngine() {
        TestThreads threads = new TestThreads(2, getClass().getClassLoader());
        framework.runAtOnce(Asked.of("platform", JupiterSample.class, "a", "b", "p(int)~1"), threads);
        threads.shutDown();
        assertEquals(new TreeSet<>(Arrays.asList("1", "2", "3")), new TreeSet<>(events.answered()));
    }

    private static PlatformTest selected(String name, String id) {
        int tilde = name.indexOf('~');
        int occurrence = Integer.parseInt(name.substring(tilde + 1));
        Wanted wanted = Asked.one(1, "platform", "a.B", "a.B", name);
        return new JupiterSelection(name.substring(0, tilde), occurrence).of(wanted, id);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "x~1 | [engine:j]/[class:a.B]/[method:x()] | [engine:j]/[class:a.B]/[method:x()]",
        "x(int)~3 | [engine:j]/[class:a.B]/[test-template:x(int)] | [engine:j]/[class:a.B]/[test-template:x(int)]/[test-template-invocation:#3]",
        "x/2~4 | [engine:j]/[class:a.B]/[test-factory:x()] | [engine:j]/[class:a.B]/[test-factory:x()]/[dynamic-container:#2]/[dynamic-test:#4]",
        "x~2 | [engine:j]/[class-template:a.B]/[method:x()] | [engine:j]/[class-template:a.B]/[class-template-invocation:#2]/[method:x()]",
    })
    void anInvocationIsSelectedByItsIndices(String name, String staticId, String uniqueId) {
        assertEquals(uniqueId, selected(name, staticId).uniqueId);
    }

    @Test
    void aPlainMethodHasNoSecondInvocation() {
        assertNull(selected("x~2", "[engine:j]/[class:a.B]/[method:x()]"));
        assertNull(selected("x/2~1", "[engine:j]/[class:a.B]/[test-template:x()]"));
        assertEquals("x/y", new JupiterSelection("x/y", 1).method);
        assertEquals("x", new JupiterSelection("x/12/3", 1).method);
    }

    @Test
    void invocationsOfATemplateFollowEachOtherByTheirIndex() {
        String template = "[engine:j]/[class:a.B]/[test-template:x(int)]";
        List<PlatformTest> run = Arrays.asList(selected("x(int)~2", template));
        assertTrue(selected("x(int)~3", template).canFollow(run));
        assertFalse(selected("x(int)~1", template).canFollow(run));
        PlatformTest other = selected("y~1", "[engine:j]/[class:a.B]/[method:y()]");
        assertTrue(other.canFollow(run));
        assertFalse(selected("x(int)~3", template).canFollow(Arrays.asList(run.get(0), other)), "the template was left");
        assertFalse(selected("z~2", "[engine:j]/[class-template:a.B]/[method:z()]").canFollow(run));
    }

    @Test
    void theInsidesOfAClassTemplateFollowFromAnnotations() {
        String id = "[engine:junit-jupiter]/[class-template:samples.JupiterSample]";
        String root = "samples.JupiterSample";
        ClassLoader loader = getClass().getClassLoader();
        assertEquals(id + "/[method:a()]", ClassTemplates.idWithin(id, root, root, "a", loader));
        assertEquals(id + "/[test-template:p(int)]", ClassTemplates.idWithin(id, root, root, "p(int)", loader));
        assertEquals(id + "/[test-factory:f()]", ClassTemplates.idWithin(id, root, root, "f", loader));
        assertEquals(id + "/[nested-class:Inner]/[method:n()]", ClassTemplates.idWithin(id, root, root + "$Inner", "n", loader));
        assertNull(ClassTemplates.idWithin(id, root, root, "missing", loader));
        assertNull(ClassTemplates.idWithin(id, root, root + "$Missing", "n", loader));
    }
}
