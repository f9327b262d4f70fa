package parade.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the frameworks' own names become parade's. */
class NamesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "test(a.B) | a.B | test",
        "test[0](a.B) | a.B | test",
        "test[x(y)](a.B) | a.B | test",
        "test [1: a](a.B) | a.B | test",
        "test(a.B)[3] | a.B | test",
        "not an identifier(a.B) | a.B | not an identifier",
    })
    void aNameOfJUnit4IsTakenApart(String text, String className, String plain) {
        JUnit4Name name = JUnit4Name.parse(text);
        assertEquals(className, name.className);
        assertEquals(plain, name.plain());
    }

    @Test
    void aClassIsNoTestOfAClass() {
        assertNull(JUnit4Name.parse("a.B"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "[engine:junit-jupiter]/[class:a.B]/[method:x()] | a.B#x~1",
        "[engine:junit-jupiter]/[class:a.B]/[method:x(int, java.lang.String)] | a.B#x(int, java.lang.String)~1",
        "[engine:junit-jupiter]/[class:a.B]/[nested-class:C]/[test-template:x(int)]/[test-template-invocation:#3] | a.B$C#x(int)~3",
        "[engine:junit-jupiter]/[class:a.B]/[test-factory:x()]/[dynamic-container:#2]/[dynamic-test:#4] | a.B#x/2~4",
        "[engine:junit-jupiter]/[class-template:a.B]/[class-template-invocation:#2]/[method:x()] | a.B#x~2",
        "[engine:junit-jupiter]/[class:a.B] | a.B#<class>~1",
        "[engine:suite]/[suite:S]/[engine:junit-jupiter]/[class:a.B]/[method:x()] | a.B#x~1",
    })
    void aUniqueIdOfJupiterIsAnIdentity(String id, String expected) {
        TestCase test = JupiterName.of(UniqueIdSegments.parse(id), "shown");
        assertEquals(expected, test.className + "#" + test.name + "~" + test.occurrence);
        assertEquals("shown", test.display);
        assertEquals(expected.contains("<class>"), test.isWholeClass());
    }

    @Test
    void aUniqueIdIsReadFromTheInnermostEngineOn() {
        UniqueIdSegments id = UniqueIdSegments.parse("[engine:suite]/[suite:S]/[engine:junit-vintage]/[runner:a.B]/[test:x%28a.B%29]");
        assertEquals("junit-vintage", id.engine);
        assertEquals(2, id.segments.size());
        assertEquals("x(a.B)", id.lastValue());
    }

    @Test
    void occurrencesAreThePositionsInThePlan() {
        Occurrences occurrences = new Occurrences();
        occurrences.plan("a.B", "x", "x[0]");
        occurrences.plan("a.B", "x", "x[1]");
        assertEquals(2, occurrences.take("a.B", "x", "x[1]"));
        assertEquals(1, occurrences.take("a.B", "x", "x[0]"));
        assertEquals(3, occurrences.take("a.B", "x", "x[0]"), "what comes once more has a number of its own");
        assertEquals(4, occurrences.take("a.B", "x", null));
        assertEquals(1, occurrences.take("a.B", "y", "y"));
    }

    @Test
    void onlyAnAssertionIsAFailure() {
        assertEquals(Outcome.failed, Outcome.of(new AssertionError()));
        assertEquals(Outcome.error, Outcome.of(new RuntimeException()));
        assertEquals(Outcome.error, Outcome.of(null));
    }

    @Test
    void oneListenerReportsUntilItIsDone() {
        Object first = new Object();
        Object second = new Object();
        assertTrue(Reporting.claim(first) && Reporting.claim(first));
        assertFalse(Reporting.claim(second));
        Reporting.release(second);
        assertFalse(Reporting.claim(second));
        Reporting.release(first);
        assertTrue(Reporting.claim(second));
        Reporting.release(second);
    }
}
