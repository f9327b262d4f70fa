package parade.listen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers the tests that share a class and a name, from 1 on. If the framework announces what will run, the number is the
 * position in that plan, whatever order parallel threads have. Tests with equal full names, and tests that were not
 * announced, are numbered as they come.
 */
public final class Occurrences {
    /** What is still to come per class and name; a slot is cleared when it is taken. */
    private final Map<String, List<String>> planned = new HashMap<>();

    synchronized void plan(String className, String name, String full) {
        slots(className, name).add(full);
    }

    /** A null for `full` takes a number of its own. */
    public synchronized int take(String className, String name, String full) {
        List<String> slots = slots(className, name);
        int index = full == null ? -1 : slots.indexOf(full);
        if (index < 0) {
            index = slots.size();
            slots.add(null);
        } else {
            slots.set(index, null);
        }
        return index + 1;
    }

    private List<String> slots(String className, String name) {
        String key = className + '\0' + name;
        List<String> slots = planned.get(key);
        if (slots == null) {
            slots = new ArrayList<>();
            planned.put(key, slots);
        }
        return slots;
    }
}
