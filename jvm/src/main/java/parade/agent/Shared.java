package parade.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Things that tests share, by number, and how they were touched since the last call of {@link #take}. Woven code calls this
 * class very often. The usual case, something that was touched already, costs one access to an array.
 *
 * <p>What a static initialiser does is recorded for its class, because it runs in whichever test comes first. The uses of
 * the class are recorded too, because what its initialiser read may matter to all of its users.
 */
public final class Shared {
    /** Everything beyond so many shares the number 0. */
    private static final int LIMIT = 1 << 17;
    private static final byte READ = 1;
    private static final byte WRITTEN = 2;

    private static final Object LOCK = new Object();
    private static final Map<String, Integer> NUMBERS = new HashMap<>();
    private static final List<String> NAMES = new ArrayList<>();
    /** By number: how it was touched. */
    private static final byte[] MARKS = new byte[LIMIT];
    /** By number of a field: the number of its class; by number of a class: its own. */
    private static final int[] CLASSES = new int[LIMIT];
    /** What is marked. */
    private static int[] touched = new int[64];
    private static int count;
    private static final Initialisers INITIALISERS = new Initialisers();
    /** Static initialisers that are running. */
    private static volatile int running;

    static {
        number("everything beyond the first " + LIMIT);
    }

    private Shared() {}

    /** For weaving: the number of a class, by its name with dots. */
    public static int type(String name) {
        synchronized (LOCK) {
            int number = number(name + ".<clinit>");
            CLASSES[number] = number;
            return number;
        }
    }

    /** For weaving: the number of a static field. */
    public static int field(String type, String name) {
        synchronized (LOCK) {
            int number = number(type + '.' + name);
            CLASSES[number] = type(type);
            return number;
        }
    }

    /** The number of anything else. */
    static int named(String name) {
        synchronized (LOCK) {
            return number(name);
        }
    }

    private static int number(String name) {
        Integer known = NUMBERS.get(name);
        if (known != null) {
            return known;
        }
        if (NAMES.size() == LIMIT) {
            return 0;
        }
        NUMBERS.put(name, NAMES.size());
        NAMES.add(name);
        return NAMES.size() - 1;
    }

    public static String name(int number) {
        synchronized (LOCK) {
            return NAMES.get(number);
        }
    }

    /** A read after an own write does not count. */
    public static void read(int number) {
        if (running != 0 || MARKS[number] == 0) {
            touch(number, READ);
        }
    }

    /** Something behind the reference can change without being observed. */
    public static void read(Object value, int number) {
        if (running != 0 || MARKS[number] == 0) {
            touch(number, READ);
            if (Mutability.isMutable(value)) {
                touch(number, WRITTEN);
            }
        }
    }

    public static void write(int number) {
        if (running != 0 || (MARKS[number] & WRITTEN) == 0) {
            touch(number, WRITTEN);
        }
    }

    /** A class is used whose initialiser may have read something. */
    public static void use(int type) {
        if (running != 0 || MARKS[type] == 0) {
            touch(type, READ);
        }
    }

    /** A static initialiser begins. */
    public static void enter(int type) {
        synchronized (LOCK) {
            INITIALISERS.enter(type);
            running++;
        }
    }

    /** The innermost static initialiser of this thread has ended, in whatever way. */
    public static void leave() {
        synchronized (LOCK) {
            INITIALISERS.leave();
            running--;
        }
    }

    private static void touch(int number, byte how) {
        synchronized (LOCK) {
            boolean initialising = running != 0 && INITIALISERS.touch(number, CLASSES[number], how == WRITTEN);
            if (initialising || (MARKS[number] & how) != 0 || how == READ && MARKS[number] != 0) {
                return;
            }
            if (MARKS[number] == 0) {
                if (count == touched.length) {
                    touched = Arrays.copyOf(touched, 2 * count);
                }
                touched[count++] = number;
            }
            MARKS[number] |= how;
        }
    }

    /** What the static initialiser of a class read. */
    public static Set<Integer> initialReads(int type) {
        synchronized (LOCK) {
            return INITIALISERS.reads(type);
        }
    }

    /** What was touched since the last time. */
    public static Touched take() {
        synchronized (LOCK) {
            Touched taken = new Touched();
            for (int i = 0; i < count; i++) {
                int number = touched[i];
                if (CLASSES[number] != number || number == 0) {
                    taken.add(number, (MARKS[number] & READ) != 0, (MARKS[number] & WRITTEN) != 0);
                }
            }
            for (int i = 0; i < count; i++) {
                if (!INITIALISERS.reads(CLASSES[touched[i]]).isEmpty()) {
                    taken.uses.add(CLASSES[touched[i]]);
                }
                MARKS[touched[i]] = 0;
            }
            count = 0;
            return taken;
        }
    }
}
