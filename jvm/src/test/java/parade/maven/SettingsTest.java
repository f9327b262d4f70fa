package parade.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import parade.Protocol;

class SettingsTest {
    @TempDir
    Path folder;

    @Test
    void theTableHasEveryKeyAndNoOther() {
        List<String> keys = Arrays.stream(SettingKey.values()).map(key -> key.word).collect(Collectors.toList());
        assertEquals(Protocol.kinds("settings"), keys);
    }

    @Test
    void theExamplesOfTheProtocolAreUnderstood() throws Exception {
        Settings settings = ExampleSettings.in(folder, Map.of());
        assertEquals("3.5.6", settings.surefireVersion());
        assertEquals("2.22.0", settings.surefireKeptFrom());
        assertEquals(7, settings.lowestCompilerLevel());
        assertEquals(Arrays.asList("g:a", "g:b"), settings.disabledPlugins());
        assertEquals(Arrays.asList("lib", ":app"), settings.modules());
        assertEquals(folder.resolve("events").toFile(), settings.events());
        assertEquals(" /h\\x/é\t.jar", settings.listeners());
        assertEquals("classesAndMethods", settings.mode());
        assertFalse(settings.asTheProject());
        assertEquals(7, settings.threads());
        assertEquals(14, settings.threadsInAll());
        assertTrue(settings.threadsPerCore());
        assertEquals("2", settings.forks());
        assertFalse(settings.reuseForks());
        assertEquals(2, settings.modulesAtOnce());
        assertTrue(settings.fetchProviders());
        assertTrue(settings.reveal());
        String goal = "maven-surefire-plugin:test@default-test";
        assertEquals("a.B#c", settings.selection("lib", goal));
        assertEquals("", settings.selection("lib", "another:goal@x"));
        assertEquals("a.C", settings.selection("app", goal), "an empty goal stands for every one");
    }

    /** Reports elsewhere may be another project's, also where a link leads there. */
    @Test
    void aFolderOutsideOfTheWorktreeIsToldApart() throws Exception {
        Path worktree = Files.createDirectories(folder.resolve("tree"));
        Path other = Files.createDirectories(folder.resolve("tree-2"));
        Path link = Files.createSymbolicLink(worktree.resolve("link"), other);
        Settings settings = ExampleSettings.in(folder, Map.of("worktree", worktree.toString()));
        assertTrue(settings.isInWorktree(worktree.resolve("target/surefire-reports").toFile()));
        assertFalse(settings.isInWorktree(other.toFile()));
        assertFalse(settings.isInWorktree(link.resolve("reports").toFile()));
        assertFalse(settings.isInWorktree(worktree.resolve("../tree-2").toFile()));
    }

    /** Tests can read the property that names them. */
    @Test
    void theFilesAreGoneOnceTheyAreRead() throws Exception {
        ExampleSettings.in(folder, Map.of());
        for (String name : new String[] {"settings", "selection", "handshake"}) {
            assertFalse(Files.exists(folder.resolve(name)), name);
        }
    }

    @Test
    void aBuildWithoutTestsHasNoEventsAndNoSelection() throws Exception {
        Settings settings = ExampleSettings.in(folder, Map.of("events", "", "selection", "", "compiler.minimum", "",
            "modules", "", "modules.at-once", "", "mode", "project"));
        assertNull(settings.events());
        assertNull(settings.selection("lib", "g"));
        assertEquals(0, settings.lowestCompilerLevel());
        assertEquals(1, settings.modulesAtOnce());
        assertTrue(settings.modules().isEmpty() && settings.asTheProject());
    }
}
