package parade.maven;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/** What parade asks of this build, read from the file that a system property names. */
final class Settings {
    static final String FILE = "parade.settings";

    private final Properties properties;

    private Settings(Properties properties) {
        this.properties = properties;
    }

    /** Null where Maven was not started by parade. */
    static Settings load() {
        String file = System.getProperty(FILE);
        if (file == null) {
            return null;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Paths.get(file), StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException error) {
            throw new IllegalStateException("parade's settings cannot be read from " + file, error);
        }
        return new Settings(properties);
    }

    File handshake() {
        return new File(text("handshake"));
    }

    /** Where test processes write their events; null for a build that runs no tests. */
    File events() {
        return has("events") ? new File(text("events")) : null;
    }

    String listeners() {
        return text("listeners");
    }

    String mode() {
        return text("mode");
    }

    boolean asTheProject() {
        return mode().equals("project");
    }

    int threads() {
        return Integer.parseInt(text("threads"));
    }

    int threadsInAll() {
        return Integer.parseInt(text("threads.total"));
    }

    boolean threadsPerCore() {
        return Boolean.parseBoolean(text("threads.per-core"));
    }

    String forks() {
        return text("forks");
    }

    /** How many modules may be built, and so tested, at the same time. */
    int modulesAtOnce() {
        return has("modules.at-once") ? Integer.parseInt(text("modules.at-once")) : 1;
    }

    boolean reuseForks() {
        return Boolean.parseBoolean(text("forks.reuse"));
    }

    /** Shall what other modes need be fetched now? */
    boolean fetchProviders() {
        return Boolean.parseBoolean(text("providers.fetch"));
    }

    /** Shall it be told how test processes are started? */
    boolean reveal() {
        return Boolean.parseBoolean(text("reveal"));
    }

    /** Empty to keep what the project has. */
    String surefireVersion() {
        return text("surefire.version");
    }

    /** 0 where this JDK takes every level. */
    int lowestCompilerLevel() {
        return has("compiler.minimum") ? Integer.parseInt(text("compiler.minimum")) : 0;
    }

    List<String> disabledPlugins() {
        return list("plugins.disabled");
    }

    /** As Maven's -pl takes them; empty for all. */
    List<String> modules() {
        return list("modules");
    }

    /** What a goal of a module is to run in Surefire's syntax; null for everything, empty for nothing. */
    String selection(String module, String goal) throws IOException {
        if (!has("selection")) {
            return null;
        }
        try (BufferedReader lines = Files.newBufferedReader(Paths.get(text("selection")), StandardCharsets.UTF_8)) {
            return lines.lines()
                .map(line -> line.split("\t", 3))
                .filter(fields -> fields.length == 3 && fields[0].equals(module))
                .filter(fields -> fields[1].isEmpty() || fields[1].equals(goal))
                .map(fields -> fields[2])
                .collect(Collectors.joining(","));
        }
    }

    private List<String> list(String key) {
        return has(key) ? Arrays.asList(text(key).split(",")) : Collections.emptyList();
    }

    private boolean has(String key) {
        return !text(key).isEmpty();
    }

    private String text(String key) {
        return properties.getProperty(key, "");
    }
}
