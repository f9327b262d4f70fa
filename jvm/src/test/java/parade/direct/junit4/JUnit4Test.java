package parade.direct.junit4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.runner.Request;

import parade.direct.core.Asked;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.tree.Node;
import parade.listen.EventLines;
import parade.listen.RecordedEvents;
import samples.BrokenFixture4;
import samples.Opaque4;
import samples.Parameters4;
import samples.Plain4;

class JUnit4Test {
    private final RecordedEvents events = new RecordedEvents();
    private final JUnit4Framework framework = new JUnit4Framework(getClass().getClassLoader());

    private void run(Class<?> root, String... names) {
        framework.run(Asked.of("junit4", root, names));
    }

    @Test
    void aClassBecomesATreeOfRunners() throws Throwable {
        Node plain = new JUnit4Nodes().runner(Request.aClass(Plain4.class).getRunner());
        assertTrue(plain instanceof JUnit4Nodes.Parent);
        assertEquals(4, plain.children().size());
        Node parameters = new JUnit4Nodes().runner(Request.aClass(Parameters4.class).getRunner());
        assertEquals(2, parameters.children().size());
        assertTrue(parameters.children().get(1) instanceof JUnit4Nodes.Parent);
        Node opaque = new JUnit4Nodes().runner(Request.aClass(Opaque4.class).getRunner());
        assertTrue(opaque instanceof JUnit4Nodes.Opaque);
        assertEquals(3, opaque.children().size());
    }

    @Test
    void testsRunInTheOrderThatIsAskedForAndTheClassIsSetUpOnce() {
        int before = Plain4.setUps;
        run(Plain4.class, "d", "c", "b", "a");
        assertEquals(Arrays.asList("1", "2", "3", "4"), events.answered());
        assertEquals(Arrays.asList("skipped", "skipped", "error", "passed"), events.outcomes());
        assertEquals(1, Plain4.setUps - before);
    }

    @Test
    void aTestThatComesAgainNeedsAnotherPass() {
        int before = Plain4.setUps;
        run(Plain4.class, "a", "b", "a");
        assertEquals(Arrays.asList("1", "2", "3"), events.answered());
        assertEquals(2, Plain4.setUps - before);
    }

    @Test
    void parametersAreOccurrencesInAnyOrder() {
        run(Parameters4.class, "x~2", "y~1", "x~1", "y~2");
        assertEquals(Arrays.asList("1", "2", "3", "4"), events.answered());
        assertEquals(Arrays.asList("failed", "passed", "passed", "passed"), events.outcomes());
    }

    @Test
    void aFixtureThatFailsAnswersAllTestsOfItsClass() {
        List<Wanted> tests = Asked.of("junit4", BrokenFixture4.class, "a", "b");
        framework.run(tests);
        assertTrue(tests.get(0).isSettled() && tests.get(1).isSettled());
        assertEquals(Collections.singletonList("samples.BrokenFixture4#<class>~1"), events.started());
        assertEquals(Collections.singletonList("error"), events.outcomes());
        assertTrue(events.refused().isEmpty());
    }

    @Test
    void aRunnerOfUnknownMakeIsFilteredAndMadeAgain() {
        run(Opaque4.class, "two", "one", "three");
        assertEquals(Arrays.asList("1", "2", "3"), events.answered());
        assertEquals(Arrays.asList("samples.Opaque4#two~1", "samples.Opaque4#one~1", "samples.Opaque4#three~1"),
            events.started());
    }

    @Test
    void testsAreListedWithTheirOccurrences() {
        framework.list(Parameters4.class.getName());
        Set<String> listed = new TreeSet<>(events.listed());
        assertEquals(new TreeSet<>(Arrays.asList("samples.Parameters4#x~1", "samples.Parameters4#x~2", "samples.Parameters4#y~1",
            "samples.Parameters4#y~2")), listed);
        framework.list("samples.Missing");
        assertEquals("samples.Missing", events.lines(EventLines.Kind.UNLISTED).get(0)[1]);
    }

    @Test
    void whatIsNoTestIsRefusedWithItsReason() {
        run(Plain4.class, "z", "a");
        assertEquals(Collections.singletonList("1 samples.Plain4 has no test samples.Plain4#z"), events.refused());
        assertEquals(Collections.singletonList("2"), events.answered());
        run(String.class, "x");
        assertTrue(events.refused().get(1).endsWith("has no test java.lang.String#x: the class cannot be run"),
            events.refused().get(1));
        assertFalse(framework.canRun("java.lang.String"));
        assertTrue(framework.canRun(Plain4.class.getName()));
    }

    @Test
    void methodsRunAtOnceOnTheThreadsOfTheOrder() {
        TestThreads threads = new TestThreads(2, getClass().getClassLoader());
        framework.runAtOnce(Asked.of("junit4", Plain4.class, "a", "b", "c"), threads);
        threads.shutDown();
        Set<String> names = new TreeSet<>();
        for (String[] line : events.lines(EventLines.Kind.STARTED)) {
            names.add(line[4]);
        }
        assertEquals(3, events.answered().size());
        assertTrue(new TreeSet<>(Arrays.asList("parade-1", "parade-2")).containsAll(names), names.toString());
    }
}
