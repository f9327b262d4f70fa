package parade.direct;

import java.util.ArrayList;
import java.util.List;

import parade.direct.core.Wanted;

/** Tests, in the order to run them, and how. */
final class Order {
    final String id;
    /** Does it get classes of its own, in a process that runs others too? */
    final boolean warm;
    final int threads;
    final String mode;
    final long limitMillis;
    final List<Wanted> tests = new ArrayList<>();

    /** From a line's fields, the kind being the first. */
    Order(String[] line) {
        id = line[1];
        warm = line[2].equals("warm");
        threads = Math.max(1, Integer.parseInt(line[3]));
        mode = line[4];
        limitMillis = Long.parseLong(line[5]);
    }
}
