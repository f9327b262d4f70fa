package parade.agent;

/** A time limit as parade has it enforced when it asks whether a test that ran into its own would pass with a larger one. */
public final class Enlarged {
    private static final long TIMES = 20;

    private Enlarged() {}

    /** Zero and less mean that there is no limit. */
    public static long of(long limit) {
        return limit > Long.MAX_VALUE / TIMES ? Long.MAX_VALUE : limit * TIMES;
    }
}
