package parade.listen;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The tests that have started and not ended, by the framework's own key; equal keys are told apart by their thread. */
final class Running<K> {
    static final class Entry {
        final int number;
        final long thread = Thread.currentThread().getId();
        Outcome outcome = Outcome.passed;
        Throwable thrown;

        Entry(int number) {
            this.number = number;
        }

        /** The first failure counts. */
        void ended(Outcome how, Throwable why) {
            if (outcome == Outcome.passed) {
                outcome = how;
                thrown = why;
            }
        }
    }

    private final Map<K, Deque<Entry>> entries = new HashMap<>();

    /** Forgets all that run, and returns them. */
    synchronized List<Entry> drain() {
        List<Entry> left = new ArrayList<>();
        for (Deque<Entry> equals : entries.values()) {
            left.addAll(equals);
        }
        entries.clear();
        return left;
    }

    synchronized void add(K key, Entry entry) {
        Deque<Entry> equals = entries.get(key);
        if (equals == null) {
            equals = new ArrayDeque<>();
            entries.put(key, equals);
        }
        equals.addLast(entry);
    }

    /** Null where nothing of that key runs. */
    synchronized Entry find(K key) {
        Deque<Entry> equals = entries.get(key);
        if (equals == null) {
            return null;
        }
        long thread = Thread.currentThread().getId();
        for (Entry entry : equals) {
            if (entry.thread == thread) {
                return entry;
            }
        }
        return equals.peekFirst();
    }

    synchronized Entry remove(K key) {
        Entry found = find(key);
        if (found != null) {
            Deque<Entry> equals = entries.get(key);
            for (Iterator<Entry> each = equals.iterator(); each.hasNext();) {
                if (each.next() == found) {
                    each.remove();
                    break;
                }
            }
            if (equals.isEmpty()) {
                entries.remove(key);
            }
        }
        return found;
    }
}
