package parade.maven;

/** A mode, in the configuration parameters of Jupiter and Vintage. Older engines ignore what they do not know. */
final class PlatformParallelism {
    private PlatformParallelism() {}

    static String of(Settings settings) {
        String mode = settings.mode();
        boolean parallel = !mode.equals("sequential");
        boolean classes = mode.equals("classes") || mode.equals("classesAndMethods");
        boolean methods = mode.equals("methods") || mode.equals("classesAndMethods");
        StringBuilder text = new StringBuilder();
        set(text, "jupiter.execution.parallel.enabled", parallel);
        set(text, "vintage.execution.parallel.enabled", parallel);
        if (parallel) {
            set(text, "jupiter.execution.parallel.mode.default", methods ? "concurrent" : "same_thread");
            set(text, "jupiter.execution.parallel.mode.classes.default", classes ? "concurrent" : "same_thread");
            set(text, "jupiter.execution.parallel.config.strategy", "fixed");
            set(text, "jupiter.execution.parallel.config.fixed.parallelism", settings.threadsInAll());
            set(text, "jupiter.execution.parallel.config.fixed.max-pool-size", settings.threadsInAll());
            set(text, "vintage.execution.parallel.classes", classes);
            set(text, "vintage.execution.parallel.methods", methods);
            set(text, "vintage.execution.parallel.pool-size", settings.threadsInAll());
        }
        return text.toString();
    }

    private static void set(StringBuilder text, String key, Object value) {
        text.append("junit.").append(key).append('=').append(value).append('\n');
    }
}
