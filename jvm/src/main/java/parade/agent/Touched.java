package parade.agent;

import java.util.Set;
import java.util.TreeSet;

/** What was read and written, by number, and which classes were used whose static initialisers read something. */
public final class Touched {
    public final Set<Integer> reads = new TreeSet<>();
    public final Set<Integer> writes = new TreeSet<>();
    public final Set<Integer> uses = new TreeSet<>();

    void add(int number, boolean read, boolean written) {
        if (read) {
            reads.add(number);
        }
        if (written) {
            writes.add(number);
        }
    }

    public boolean isEmpty() {
        return reads.isEmpty() && writes.isEmpty() && uses.isEmpty();
    }
}
