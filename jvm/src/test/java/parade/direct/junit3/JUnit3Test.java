package parade.direct.junit3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import parade.direct.core.Asked;
import parade.direct.core.TestThreads;
import parade.direct.core.Wanted;
import parade.direct.tree.Leaf;
import parade.direct.tree.Node;
import parade.listen.RecordedEvents;
import samples.OldSuite;

class JUnit3Test {
    private static final String CASES = OldSuite.Cases.class.getName();

    private final RecordedEvents events = new RecordedEvents();
    private final JUnit3Framework framework = new JUnit3Framework(getClass().getClassLoader());

    private static Wanted asked(int number, String name) {
        return Asked.one(number, "junit3", OldSuite.class.getName(), CASES, name);
    }

    @Test
    void aSuiteBecomesATreeWithItsDecorators() throws Throwable {
        Node top = new JUnit3Nodes().node(OldSuite.suite());
        assertEquals(4, top.children().size());
        assertEquals("testA(" + CASES + ")", ((Leaf) top.children().get(0)).text);
        Node decorator = top.children().get(2);
        assertTrue(decorator instanceof Node.Fixed);
        assertEquals(1, decorator.children().get(0).children().size());
        Node repeated = top.children().get(3);
        assertEquals(2, repeated.children().size());
        assertTrue(repeated.children().get(1) instanceof Leaf);
    }

    @Test
    void theTestsOfASuiteAreListedWithTheirOccurrences() {
        framework.list(OldSuite.class.getName());
        String a = CASES + "#testA~";
        String b = CASES + "#testB~";
        assertEquals(Arrays.asList(a + 1, b + 1, a + 2, b + 2, b + 3), events.listed());
    }

    @Test
    void testsRunInTheOrderThatIsAskedFor() {
        List<Wanted> tests = Arrays.asList(asked(1, "testB~3"), asked(2, "testA~2"), asked(3, "testB"), asked(4, "testA"));
        framework.run(tests);
        assertEquals(Arrays.asList("1", "2", "3", "4"), events.answered());
        assertEquals(Arrays.asList("failed", "passed", "failed", "passed"), events.outcomes());
        assertEquals(Arrays.asList(CASES + "#testB~3", CASES + "#testA~2", CASES + "#testB~1", CASES + "#testA~1"),
            events.started());
        framework.close();
    }

    @Test
    void whatDoesNotExistIsRefused() {
        framework.run(Collections.singletonList(asked(7, "testC")));
        assertEquals(Collections.singletonList("7 samples.OldSuite has no test " + CASES + "#testC"), events.refused());
        framework.run(Collections.singletonList(Asked.one(8, "junit3", "samples.Missing", "samples.Missing", "x")));
        assertEquals("8 java.lang.ClassNotFoundException: samples.Missing", events.refused().get(1));
    }

    @Test
    void atOnceEachTestRunsFromASuiteOfItsOwn() {
        TestThreads threads = new TestThreads(2, getClass().getClassLoader());
        framework.runAtOnce(Arrays.asList(asked(1, "testA"), asked(2, "testA~2"), asked(3, "testB")), threads);
        threads.shutDown();
        List<String> answered = events.answered();
        Collections.sort(answered);
        assertEquals(Arrays.asList("1", "2", "3"), answered);
    }
}
