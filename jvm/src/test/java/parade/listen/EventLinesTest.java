package parade.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static parade.Protocol.assertWritten;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.api.Test;

import parade.Protocol;

class EventLinesTest {
    private static final String FILE = "events";

    @Test
    void theTableHasEveryKindAndNoOther() {
        assertEquals(Protocol.kinds(FILE), Protocol.words(EventLines.Kind.values()));
    }

    @ParameterizedTest
    @EnumSource(EventLines.Kind.class)
    void theExamplesOfTheProtocolAreWritten(EventLines.Kind kind) {
        switch (kind) {
            case PROCESS:
                assertWritten(FILE, kind, EventLines.process("42", 1000001000000L, 6000000000L));
                break;
            case STARTED:
                TestCase plain = new TestCase("a.B", "test", 1, null);
                TestCase asked = new TestCase("a.B", "test(int)", 3, "100%\té", "a.All").answering(7);
                assertWritten(FILE, kind, EventLines.started(2, 1000001400000L, 6400000000L, "main", plain),
                    EventLines.started(1, 1000001500000L, 6500000000L, "pool-1", asked));
                break;
            case FINISHED:
                assertWritten(FILE, kind, EventLines.finished(1, 1000001750000L, 6750000000L, Outcome.failed,
                    "java.lang.AssertionError: no\n\tat a.B"));
                break;
            case TIMED_OUT:
                assertWritten(FILE, kind, EventLines.timedOut(2, 1000002000000L, 7000000000L));
                break;
            case COMPUTED:
                // Written by `Background`, which has a test of its own.
                assertEquals(2, Protocol.entry(FILE, kind.word()).examples.size());
                break;
            case BEGUN:
                assertWritten(FILE, kind, EventLines.begun("9"));
                break;
            case DONE:
                assertWritten(FILE, kind, EventLines.done("9"));
                break;
            case REFUSED:
                assertWritten(FILE, kind, EventLines.refused(8, "a.B has no test x"));
                break;
            case LISTED:
                assertWritten(FILE, kind, EventLines.listed("a.All", new TestCase("a.B", "x", 2, "x[1]")));
                break;
            case UNLISTED:
                assertWritten(FILE, kind, EventLines.unlisted("a.C", "java.lang.NoClassDefFoundError: a/D"));
                break;
            case NAMED:
                assertWritten(FILE, kind, EventLines.named(5, "a.B.count"), EventLines.named(6, "a.B.<clinit>"),
                    EventLines.named(7, "file:/w/a%b"));
                break;
            case INITIALISED:
                assertWritten(FILE, kind, EventLines.initialised(6, Arrays.asList(5, 7)));
                break;
            case ACCESSED:
                assertWritten(FILE, kind, EventLines.accessed(1, "in", Arrays.asList(5, 7), Collections.singleton(5),
                    Collections.singleton(6)));
                break;
            default:
                throw new AssertionError(kind + " is not tested");
        }
    }

    @Test
    void theTableHasEveryOutcome() {
        List<String> outcomes = Arrays.stream(Outcome.values()).map(Enum::name).collect(Collectors.toList());
        assertEquals(Protocol.entry(FILE, "F").values("outcome"), outcomes);
    }

    @Test
    void noLineGrowsBeyondWhatItsReaderTakes() {
        String endless = new String(new char[1 << 20]).replace('\0', '%');
        TestCase test = new TestCase(endless, endless, 1, endless, endless);
        assertEquals(true, EventLines.started(1, 0, 0, endless, test).bytes().length < 1 << 18);
        assertEquals(true, EventLines.finished(1, 0, 0, Outcome.failed, endless).bytes().length < 1 << 14);
        assertEquals(true, EventLines.refused(1, endless).bytes().length < 1 << 14);
    }
}
