package parade.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedTest {
    @BeforeEach
    void forget() {
        Shared.take();
    }

    private static String touched() {
        Touched touched = Shared.take();
        return names(touched.reads) + " " + names(touched.writes) + " " + names(touched.uses);
    }

    private static Set<String> names(Iterable<Integer> numbers) {
        Set<String> names = new TreeSet<>();
        for (int number : numbers) {
            names.add(Shared.name(number));
        }
        return names;
    }

    @Test
    void aNameHasOneNumber() {
        int field = Shared.field("s.A", "x");
        assertEquals(field, Shared.field("s.A", "x"));
        assertEquals("s.A.x", Shared.name(field));
        assertEquals("s.A.<clinit>", Shared.name(Shared.type("s.A")));
    }

    @Test
    void aReadAfterAWriteOfOnesOwnDependsOnNobody() {
        int field = Shared.field("s.A", "x");
        Shared.write(field);
        Shared.read(field);
        assertEquals("[] [s.A.x] []", touched());
        Shared.read(field);
        Shared.write(field);
        assertEquals("[s.A.x] [s.A.x] []", touched());
        assertEquals("[] [] []", touched(), "what was taken is taken once");
    }

    @Test
    void whatIsReadThroughAReferenceCountsAsWrittenIfItCanChange() {
        int field = Shared.field("s.A", "list");
        Shared.read("text", field);
        assertEquals("[s.A.list] [] []", touched());
        Shared.read(new ArrayList<String>(), field);
        assertEquals("[s.A.list] [s.A.list] []", touched());
        Shared.read(null, field);
        assertEquals("[s.A.list] [] []", touched());
    }

    @Test
    void whatAnInitialiserReadsBelongsToAllWhoUseItsClass() {
        int source = Shared.field("s.Source", "x");
        int own = Shared.field("s.Own", "y");
        int type = Shared.type("s.Own");
        Shared.enter(type);
        Shared.read(source);
        Shared.write(own);
        Shared.read(own);
        Shared.leave();
        assertEquals("[] [] []", touched(), "nobody used it so far");
        assertEquals(Collections.singleton(source), Shared.initialReads(type));
        Shared.use(type);
        assertEquals("[] [] [s.Own.<clinit>]", touched());
        Shared.read(own);
        assertEquals("[s.Own.y] [] [s.Own.<clinit>]", touched());
    }

    @Test
    void anInitialiserThatSetsOffAnotherReadsWhatThatReads() {
        int source = Shared.field("s.Deep", "x");
        int inner = Shared.type("s.Inner");
        int outer = Shared.type("s.Outer");
        Shared.enter(outer);
        Shared.enter(inner);
        Shared.read(source);
        Shared.leave();
        Shared.leave();
        assertEquals(Collections.singleton(source), Shared.initialReads(outer));
        assertEquals(Collections.emptySet(), Shared.initialReads(Shared.type("s.Never")));
    }

    @Test
    void anInitialiserOfAnotherThreadTakesNothingOfThisOne() throws Exception {
        int type = Shared.type("s.Slow");
        int field = Shared.field("s.Main", "x");
        Thread thread = new Thread(() -> Shared.enter(type));
        thread.start();
        thread.join();
        Shared.write(field);
        Shared.read(field);
        Shared.leave();
        assertEquals("[] [s.Main.x] []", touched());
        assertEquals(Collections.emptySet(), Shared.initialReads(type));
    }

    @Test
    void filesAreKnownByTheirAbsoluteNames() {
        Outside.file(new File("/w/./x/../a"), Outside.READ);
        Outside.file("/w/a", Outside.READ);
        Outside.file(Paths.get("/w/a"), Outside.READ);
        assertEquals("[file:/w/a] [] []", touched());
        Outside.file(null, Outside.READ);
        Outside.file("\0", Outside.READ);
        assertEquals("[] [] []", touched(), "what is no name is no file");
    }

    @Test
    void whoWritesAFileChangesTheListOfItsFolder() {
        Outside.file("/w/a", Outside.WRITE);
        assertEquals("[] [file:/w/, file:/w/a] []", touched());
        Outside.file("/w", Outside.LIST);
        assertEquals("[file:/w/] [] []", touched());
        Outside.written("/w/a", true);
        assertEquals("[file:/w/a] [file:/w/, file:/w/a] []", touched());
    }

    @Test
    void optionsDecideWhetherTheOldContentMatters() {
        Outside.opened("/w/a", new StandardOpenOption[0]);
        assertEquals("[] [file:/w/, file:/w/a] []", touched());
        Outside.opened("/w/a", EnumSet.of(StandardOpenOption.READ));
        assertEquals("[file:/w/a] [] []", touched());
        Outside.opened("/w/a", EnumSet.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
        assertEquals("[] [file:/w/, file:/w/a] []", touched());
        Outside.opened("/w/a", EnumSet.of(StandardOpenOption.WRITE));
        assertEquals("[file:/w/a] [file:/w/, file:/w/a] []", touched());
        Outside.opened("/w/a", EnumSet.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.CREATE_NEW));
        assertEquals("[file:/w/a] [file:/w/, file:/w/a] []", touched(), "it fails if the file exists");
        Outside.opened("/w/a", "r");
        assertEquals("[file:/w/a] [] []", touched());
        Outside.opened("/w/a", "rw");
        assertEquals("[file:/w/a] [file:/w/, file:/w/a] []", touched());
    }

    @Test
    void propertiesAreKnownByTheirNames() {
        Outside.property("x", Outside.READ);
        assertEquals("[properties, property:x] [] []", touched());
        Outside.property("x", Outside.WRITE);
        assertEquals("[] [property:*, property:x] []", touched());
        Outside.property(null, Outside.READ);
        assertEquals("[] [] []", touched());
        Outside.properties(Outside.READ);
        assertEquals("[property:*] [properties] []", touched());
    }

    static final class Fixed {
        final int number = 1;
        final String text = "";
        final TimeUnit unit = TimeUnit.DAYS;
    }

    static final class WithList {
        final java.util.List<String> list = Collections.emptyList();
    }

    static class Vague {
        final Object anything = "";
    }

    @Test
    void whatHasOnlyUnchangingFinalFieldsCannotChange() {
        for (Object value : new Object[] {"", 1, TimeUnit.DAYS, new Fixed(), new int[0], new Object(), java.time.LocalDate.MIN,
            Collections.emptyList(), new File("x"), java.util.logging.Logger.getAnonymousLogger(), String.class}) {
            assertFalse(Mutability.isMutable(value), value.getClass().getName());
        }
    }

    @Test
    void everythingElseCan() {
        for (Object value : new Object[] {new int[1], new ArrayList<String>(), new AtomicLong(), new StringBuilder(),
            new WithList(),
            new Vague(), new ThreadLocal<String>()}) {
            assertTrue(Mutability.isMutable(value), value.getClass().getName());
        }
        assertFalse(Mutability.isMutable(null));
    }

    @Test
    void aLargerLimitStaysANumber() {
        assertEquals(2000, Enlarged.of(100));
        assertEquals(0, Enlarged.of(0));
        assertEquals(Long.MAX_VALUE, Enlarged.of(Long.MAX_VALUE / 3));
    }
}
