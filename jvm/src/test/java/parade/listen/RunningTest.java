package parade.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class RunningTest {
    private final Running<String> running = new Running<>();

    @Test
    void theFirstTroubleCounts() {
        Running.Entry entry = new Running.Entry(1);
        Exception first = new Exception();
        entry.ended(Outcome.failed, first);
        entry.ended(Outcome.error, new Exception());
        assertEquals(Outcome.failed, entry.outcome);
        assertSame(first, entry.thrown);
    }

    @Test
    void whatHasEndedIsNotFoundAgain() {
        Running.Entry entry = new Running.Entry(1);
        running.add("x", entry);
        assertSame(entry, running.find("x"));
        assertSame(entry, running.remove("x"));
        assertNull(running.find("x"));
        assertNull(running.remove("x"));
    }

    @Test
    void equalKeysAreToldApartByTheirThread() throws Exception {
        Running.Entry[] other = new Running.Entry[2];
        Thread thread = new Thread(() -> {
            other[0] = new Running.Entry(1);
            running.add("x", other[0]);
        });
        thread.start();
        thread.join();
        Running.Entry own = new Running.Entry(2);
        running.add("x", own);
        assertSame(own, running.find("x"));
        assertSame(own, running.remove("x"));
        assertSame(other[0], running.remove("x"), "of another thread, where this one has none");
    }

    @Test
    void aDrainTakesAllThatRuns() {
        running.add("x", new Running.Entry(1));
        running.add("x", new Running.Entry(2));
        running.add("y", new Running.Entry(3));
        assertEquals(3, running.drain().size());
        assertEquals(0, running.drain().size());
        assertNull(running.find("x"));
    }
}
