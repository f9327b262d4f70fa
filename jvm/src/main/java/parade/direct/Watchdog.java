package parade.direct;

import java.util.HashMap;
import java.util.Map;

import parade.direct.core.Wanted;
import parade.listen.EventLog;

/**
 * Ends the process when a test runs longer than its limit, because a test cannot be stopped from inside the process. A class
 * fixture that hangs counts as the next test.
 */
final class Watchdog extends Thread implements EventLog.Watch {
    /** Tells parade that the watchdog has ended the process. */
    static final int EXIT_CODE = 87;
    /** Instead of the number of a test that is over its limit. */
    private static final int NONE_YET = 0;
    private static final int ORDER_ENDED = -1;
    private static final int HUNG_FIXTURE = -2;

    private final Order order;
    private final long limitNanos;
    private final Map<Integer, Long> running = new HashMap<>();
    private long lastEvent = System.nanoTime();
    private boolean ended;

    private Watchdog(Order order) {
        super("parade-watchdog");
        setDaemon(true);
        setContextClassLoader(null);
        this.order = order;
        limitNanos = order.limitMillis * 1_000_000;
    }

    static Watchdog over(Order order) {
        Watchdog watchdog = new Watchdog(order);
        EventLog.get().watch(watchdog);
        watchdog.start();
        return watchdog;
    }

    @Override
    public synchronized void started(int number, long nanos) {
        running.put(number, nanos);
    }

    @Override
    public synchronized void finished(int number) {
        running.remove(number);
        lastEvent = System.nanoTime();
    }

    synchronized void end() {
        EventLog.get().watch(null);
        ended = true;
        notifyAll();
    }

    @Override
    public void run() {
        int overdue = NONE_YET;
        while (overdue == NONE_YET) {
            overdue = awaitOverdue();
        }
        if (overdue > 0) {
            EventLog.get().timedOut(overdue);
        } else if (overdue == HUNG_FIXTURE) {
            blameNext();
        } else {
            return;
        }
        JvmState.freeSecurity();
        Runtime.getRuntime().halt(EXIT_CODE);
    }

    /** The number of a test over its limit; waits until there could be one. */
    private synchronized int awaitOverdue() {
        if (ended) {
            return ORDER_ENDED;
        }
        long now = System.nanoTime();
        long nearest = limitNanos;
        for (Map.Entry<Integer, Long> test : running.entrySet()) {
            long left = limitNanos - (now - test.getValue());
            if (left <= 0) {
                return test.getKey();
            }
            nearest = Math.min(nearest, left);
        }
        if (running.isEmpty() && now - lastEvent > limitNanos) {
            return HUNG_FIXTURE;
        }
        pause(nearest / 1_000_000 + 1);
        return NONE_YET;
    }

    private void pause(long millis) {
        try {
            wait(millis);
        } catch (InterruptedException byATest) {
            // The limit still holds.
            return;
        }
    }

    private void blameNext() {
        for (Wanted test : order.tests) {
            if (!test.isSettled()) {
                EventLog.get().timedOut(EventLog.get().started(test.testCase()));
                return;
            }
        }
    }
}
