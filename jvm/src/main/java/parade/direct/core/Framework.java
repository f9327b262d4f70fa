package parade.direct.core;

import java.util.List;

/**
 * One test framework, in the version of the subject. An instance is used by one thread. Only the implementation uses the
 * framework's classes, because they may be missing.
 */
public interface Framework {
    /** Writes the leaves of a class in the framework's own order. */
    void list(String root);

    /** Runs tests exactly in their order. Afterwards each test is settled, or the framework has not run it. */
    void run(List<Wanted> tests);

    /** Runs tests that follow one another at the same time, in no order; a class is set up once for all of its tests. */
    void runAtOnce(List<Wanted> tests, TestThreads threads);

    /** Nothing more will be run. */
    void close();
}
