package parade.agent;

import java.util.Set;
import java.util.TreeSet;

/** What was read and written, by number. */
public final class Touched {
    public final Set<Integer> reads = new TreeSet<>();
    public final Set<Integer> writes = new TreeSet<>();

    void add(int number, boolean read, boolean written) {
        if (read) {
            reads.add(number);
        }
        if (written) {
            writes.add(number);
        }
    }

    /**
     * A class was used whose initialiser reads these. That it is initialised by then counts as written: to those who write
     * what it reads, and expect it to take notice, the moment matters.
     */
    void use(int type, Set<Integer> initialiser) {
        if (initialiser.isEmpty()) {
            return;
        }
        for (int number : initialiser) {
            if (writes.contains(number)) {
                reads.add(type);
            }
        }
        reads.addAll(initialiser);
        writes.add(type);
    }

    public boolean isEmpty() {
        return reads.isEmpty() && writes.isEmpty();
    }
}
