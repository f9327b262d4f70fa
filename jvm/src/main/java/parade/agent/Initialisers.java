package parade.agent;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What static initialisers read of other classes. Their writes are not kept, because they happen in every order, whichever
 * test comes first. All methods are called under a lock.
 */
final class Initialisers {
    private static final class Initialiser {
        final int type;
        final Set<Integer> reads = new HashSet<>();
        final Set<Integer> writes = new HashSet<>();
        final Set<Integer> uses = new HashSet<>();

        Initialiser(int type) {
            this.type = type;
        }
    }

    private final ThreadLocal<Deque<Initialiser>> stacks = new ThreadLocal<>();
    private final Map<Integer, Initialiser> known = new HashMap<>();

    void enter(int type) {
        Deque<Initialiser> stack = stacks.get();
        if (stack == null) {
            stack = new ArrayDeque<>();
            stacks.set(stack);
        }
        if (!stack.isEmpty()) {
            stack.peek().uses.add(type);
        }
        Initialiser initialiser = new Initialiser(type);
        stack.push(initialiser);
        known.put(type, initialiser);
    }

    void leave() {
        Deque<Initialiser> stack = stacks.get();
        if (stack != null && !stack.isEmpty()) {
            stack.pop();
        }
    }

    /** False where this thread is in no initialiser. */
    boolean touch(int number, int type, boolean write) {
        Deque<Initialiser> stack = stacks.get();
        if (stack == null || stack.isEmpty()) {
            return false;
        }
        for (Initialiser initialiser : stack) {
            if (initialiser.type == type && type != 0) {
                return true;
            }
        }
        Initialiser innermost = stack.peek();
        if (type != 0) {
            innermost.uses.add(type);
        }
        if (write) {
            innermost.writes.add(number);
        } else if (number != type && !innermost.writes.contains(number)) {
            innermost.reads.add(number);
        }
        return true;
    }

    /** What a class's initialiser read, and those that it set off. */
    Set<Integer> reads(int type) {
        if (!known.containsKey(type)) {
            return Collections.emptySet();
        }
        Set<Integer> reads = new HashSet<>();
        gather(type, new HashSet<Integer>(), reads);
        return reads;
    }

    private void gather(int type, Set<Integer> seen, Set<Integer> reads) {
        Initialiser initialiser = known.get(type);
        if (initialiser == null || !seen.add(type)) {
            return;
        }
        reads.addAll(initialiser.reads);
        for (int used : initialiser.uses) {
            gather(used, seen, reads);
        }
    }
}
