package parade.listen;

/** How a test ended. The names are part of the protocol. */
public enum Outcome {
    passed,
    failed,
    error,
    skipped;

    /** An assertion that does not hold is a failure; anything else that is thrown is an error. */
    public static Outcome of(Throwable thrown) {
        return thrown instanceof AssertionError ? failed : error;
    }
}
