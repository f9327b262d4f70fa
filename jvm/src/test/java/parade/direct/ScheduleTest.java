package parade.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import parade.direct.core.Asked;
import parade.direct.core.Wanted;
import parade.listen.EventLines;
import parade.listen.RecordedEvents;

class ScheduleTest {
    private final RecordedEvents events = new RecordedEvents();

    private Order order(String mode) {
        Order order = new Order(new String[] {"order", "1", "fresh", "2", mode, "0"});
        String[][] tests = {{"junit4", "samples.Plain4", "b"}, {"junit4", "samples.Plain4", "a"}, {"junit4",
            "samples.Parameters4", "y~2"},
            {"platform", "samples.JupiterSample", "a"}, {"testng", "samples.TestNgSample", "a"}, {"junit4",
                "samples.Plain4", "c"}};
        for (String[] test : tests) {
            order.tests.add(Asked.one(order.tests.size() + 1, test[0], test[1], test[1], test[2]));
        }
        return order;
    }

    private List<String[]> starts() {
        return events.lines(EventLines.Kind.STARTED);
    }

    @Test
    void aSequenceIsKeptAcrossFrameworks() {
        Schedule.run(order("sequential"), getClass().getClassLoader());
        assertEquals(Arrays.asList("1", "2", "3", "4", "5", "6"), events.answered());
        for (String[] start : starts()) {
            assertFalse(start[4].startsWith("parade-"), start[4]);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classes", "methods", "classesAndMethods"})
    void everyTestOfAParallelOrderRunsOnce(String mode) {
        Order order = order(mode);
        Schedule.run(order, getClass().getClassLoader());
        assertEquals(6, events.answered().size());
        assertEquals(new TreeSet<>(Arrays.asList("1", "2", "3", "4", "5", "6")), new TreeSet<>(events.answered()));
        for (Wanted test : order.tests) {
            assertTrue(test.isSettled(), test.describe());
        }
    }

    @Test
    void aClassKeepsItsSequenceOnOneThread() {
        Schedule.run(order("classes"), getClass().getClassLoader());
        List<String> answered = events.answered();
        String[] first = starts().get(answered.indexOf("1"));
        String[] second = starts().get(answered.indexOf("2"));
        assertTrue(answered.indexOf("1") < answered.indexOf("2"));
        assertEquals(first[4], second[4]);
        assertTrue(first[4].startsWith("parade-"), first[4]);
    }

    @Test
    void aModeThatDoesNotExistIsRefused() {
        Schedule.run(order("sideways"), getClass().getClassLoader());
        assertEquals(6, events.refused().size());
        assertEquals("1 no such mode: sideways", events.refused().get(0));
    }

    @Test
    void aFrameworkThatDoesNotExistIsRefused() {
        Order order = new Order(new String[] {"order", "1", "fresh", "1", "sequential", "0"});
        order.tests.add(Asked.one(1, "spock", "a.B", "a.B", "x"));
        Schedule.run(order, getClass().getClassLoader());
        assertEquals("1 java.lang.IllegalArgumentException: no such framework: spock", events.refused().get(0));
    }

    @Test
    void aTestIsAnsweredOnce() {
        Wanted test = Asked.one(3, "junit4", "a.B", "a.B", "x");
        test.refuse("first");
        test.refuse("second");
        test.settle();
        assertEquals(Arrays.asList("3 first"), events.refused());
    }
}
