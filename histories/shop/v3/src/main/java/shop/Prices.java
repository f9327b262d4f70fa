package shop;

/** One rate for the whole shop, which stays as it was left. */
public final class Prices {
    private static int rate = 1;

    private Prices() {
    }

    public static int current() {
        return rate;
    }

    public static int quote(int amount) {
        return amount * rate;
    }

    public static int rounded(int cents) {
        int half = cents + 50;
        return half / 100;
    }

    public static void raise(int factor) {
        int next = rate;
        for (int step = 1; step < limited(factor); step++) {
            next = added(next);
        }
        if (accepted(next)) {
            rate = next;
        }
        note(next);
    }

    private static int limited(int factor) {
        int limit = 4;
        if (factor > limit) {
            return limit;
        }
        return factor;
    }

    private static int added(int value) {
        int one = 1;
        return value + one;
    }

    private static boolean accepted(int value) {
        boolean positive = value > 0;
        return positive;
    }

    private static void note(int value) {
        String text = "rate " + value;
        if (text.isEmpty()) {
            throw new IllegalStateException();
        }
    }
}
