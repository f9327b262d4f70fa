package parade.maven;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * What parade asks of this build, read from the files that a system property names. The files are deleted as they are read,
 * because tests can read that property too and must not know in which mode they run.
 */
final class Settings {
    static final String FILE = "parade.settings";
    private static Settings loaded;

    private final Properties properties;
    private final List<String> selection;
    private final Handshake handshake;

    private Settings(Properties properties, List<String> selection) throws IOException {
        this.properties = properties;
        this.selection = selection;
        handshake = new Handshake(new File(text(SettingKey.HANDSHAKE)), text(SettingKey.SEAL));
    }

    /** Returns null if parade did not start this Maven, but a process below one that it started: then the file is gone. */
    static synchronized Settings load() {
        String file = System.getProperty(FILE);
        if (file != null && loaded == null && Files.exists(Paths.get(file))) {
            try {
                loaded = read(Paths.get(file));
            } catch (IOException error) {
                throw new IllegalStateException("parade's settings cannot be read from " + file, error);
            }
        }
        return loaded;
    }

    static Settings read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        Files.delete(file);
        String selected = properties.getProperty(SettingKey.SELECTION.word, "");
        if (selected.isEmpty()) {
            return new Settings(properties, null);
        }
        List<String> selection = Files.readAllLines(Paths.get(selected), StandardCharsets.UTF_8);
        Files.delete(Paths.get(selected));
        return new Settings(properties, selection);
    }

    Handshake handshake() {
        return handshake;
    }

    /** Where test processes write their events; null for a build that runs no tests. */
    File events() {
        return has(SettingKey.EVENTS) ? new File(text(SettingKey.EVENTS)) : null;
    }

    String listeners() {
        return text(SettingKey.LISTENERS);
    }

    /** Does a folder lie in the subject's worktree, also by the links on the way to it? */
    boolean isInWorktree(File folder) throws IOException {
        Path worktree = new File(text(SettingKey.WORKTREE)).getCanonicalFile().toPath();
        return folder.getCanonicalFile().toPath().startsWith(worktree);
    }

    String mode() {
        return text(SettingKey.MODE);
    }

    boolean asTheProject() {
        return mode().equals("project");
    }

    int threads() {
        return Integer.parseInt(text(SettingKey.THREADS));
    }

    int threadsInAll() {
        return Integer.parseInt(text(SettingKey.THREADS_TOTAL));
    }

    boolean threadsPerCore() {
        return Boolean.parseBoolean(text(SettingKey.THREADS_PER_CORE));
    }

    String forks() {
        return text(SettingKey.FORKS);
    }

    /** How many modules may be built, and so tested, at the same time. */
    int modulesAtOnce() {
        return has(SettingKey.MODULES_AT_ONCE) ? Integer.parseInt(text(SettingKey.MODULES_AT_ONCE)) : 1;
    }

    boolean reuseForks() {
        return Boolean.parseBoolean(text(SettingKey.FORKS_REUSE));
    }

    /** Must the providers of other modes be fetched now? */
    boolean fetchProviders() {
        return Boolean.parseBoolean(text(SettingKey.PROVIDERS_FETCH));
    }

    /** Must the handshake say how test processes are started? */
    boolean reveal() {
        return Boolean.parseBoolean(text(SettingKey.REVEAL));
    }

    /** Empty to keep what the project has. */
    String surefireVersion() {
        return text(SettingKey.SUREFIRE_VERSION);
    }

    /** A project's own version stays from this one on; empty where it is always replaced. */
    String surefireKeptFrom() {
        return text(SettingKey.SUREFIRE_KEPT_FROM);
    }

    /** 0 where this JDK takes every level. */
    int lowestCompilerLevel() {
        return has(SettingKey.COMPILER_MINIMUM) ? Integer.parseInt(text(SettingKey.COMPILER_MINIMUM)) : 0;
    }

    List<String> disabledPlugins() {
        return list(SettingKey.PLUGINS_DISABLED);
    }

    /** As Maven's -pl takes them; empty for all. */
    List<String> modules() {
        return list(SettingKey.MODULES);
    }

    /** What a goal of a module is to run in Surefire's syntax; null for everything, empty for nothing. */
    String selection(String module, String goal) {
        if (selection == null) {
            return null;
        }
        return selection.stream()
            .map(line -> line.split("\t", 3))
            .filter(fields -> fields.length == 3 && fields[0].equals(module))
            .filter(fields -> fields[1].isEmpty() || fields[1].equals(goal))
            .map(fields -> fields[2])
            .collect(Collectors.joining(","));
    }

    private List<String> list(SettingKey key) {
        return has(key) ? Arrays.asList(text(key).split(",")) : Collections.emptyList();
    }

    private boolean has(SettingKey key) {
        return !text(key).isEmpty();
    }

    private String text(SettingKey key) {
        return properties.getProperty(key.word, "");
    }
}
