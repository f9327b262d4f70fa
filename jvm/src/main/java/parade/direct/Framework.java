package parade.direct;

import java.util.List;

/**
 * One test framework, at the version of the subject. Belongs to one thread. Nothing outside an implementation touches the
 * framework's classes: they need not be there.
 */
interface Framework {
    /** Writes the leaves of a class in the framework's own order. */
    void list(String root);

    /** Runs tests exactly in their order. Each is settled afterwards, or was never seen. */
    void run(List<Wanted> tests);

    /** Runs tests that follow one another at the same time, in no order; a class is set up once for all of its tests. */
    void runAtOnce(List<Wanted> tests, Crew crew);

    /** Nothing more will be run. */
    void close();
}
