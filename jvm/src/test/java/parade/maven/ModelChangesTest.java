package parade.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the extension changes in Maven's model: compiler levels and the version of Surefire. */
class ModelChangesTest {
    private static Plugin plugin(String artifact, String version, String... configuration) {
        Plugin plugin = new Plugin();
        plugin.setArtifactId(artifact);
        plugin.setVersion(version);
        if (configuration.length > 0) {
            plugin.setConfiguration(configuration(configuration));
        }
        return plugin;
    }

    private static Xpp3Dom configuration(String... pairs) {
        Xpp3Dom configuration = new Xpp3Dom("configuration");
        for (int i = 0; i < pairs.length; i += 2) {
            Configuration.set(configuration, pairs[i], pairs[i + 1]);
        }
        return configuration;
    }

    private static String value(Plugin plugin, String name) {
        return Configuration.value(Configuration.of(plugin), name);
    }

    private static Set<String> set(String... elements) {
        return new TreeSet<>(Arrays.asList(elements));
    }

    @Test
    void aConfigurationIsSetOnceAndReadTrimmed() {
        Xpp3Dom configuration = configuration("a", " x ");
        assertEquals("x", Configuration.value(configuration, "a"));
        Configuration.set(configuration, "a", "y");
        assertEquals(1, configuration.getChildCount());
        assertEquals("y", Configuration.value(configuration, "a"));
        assertNull(Configuration.value(configuration, "b"));
        assertNull(Configuration.value(null, "a"));
    }

    @Test
    void aPluginHasItsOwnConfigurationAndThoseOfItsExecutions() {
        Plugin plugin = plugin("p", "1");
        PluginExecution execution = new PluginExecution();
        plugin.addExecution(execution);
        assertEquals(Arrays.asList(plugin, execution), Configuration.containers(plugin));
        assertNull(Configuration.of(plugin));
        assertSame(Configuration.create(plugin), Configuration.of(plugin));
        assertSame(Configuration.create(plugin), Configuration.create(plugin));
    }

    @Test
    void levelsInPropertiesAndConfigurationsAreLifted() {
        Properties properties = new Properties();
        properties.setProperty("maven.compiler.source", "1.5");
        properties.setProperty("maven.compiler.release", "6");
        Plugin compiler = plugin("maven-compiler-plugin", "3.14.1", "target", " 1.4 ", "testSource", "11");
        Set<String> lifted = new CompilerLevel(7).lift(properties, compiler);
        assertEquals("1.7", properties.getProperty("maven.compiler.source"));
        assertEquals("7", properties.getProperty("maven.compiler.release"));
        assertEquals("1.7", value(compiler, "target"));
        assertEquals("11", value(compiler, "testSource"));
        assertEquals(set("compiler source 1.5 raised to 1.7", "compiler release 6 raised to 7",
            "compiler target 1.4 raised to 1.7"),
            lifted);
    }

    @Test
    void aLevelThatIsNoNumberStays() {
        Properties properties = new Properties();
        properties.setProperty("maven.compiler.source", "${level}");
        properties.setProperty("maven.compiler.target", "1.8");
        assertTrue(new CompilerLevel(8).lift(properties, null).isEmpty());
        assertEquals("${level}", properties.getProperty("maven.compiler.source"));
    }

    @ParameterizedTest
    @CsvSource({"2.3.2, 1.5", "3.8.1, 1.6", "3.10.1, 1.7"})
    void whatAnOldPluginAssumesIsLiftedToo(String version, String assumed) {
        Properties properties = new Properties();
        Set<String> lifted = new CompilerLevel(8).lift(properties, plugin("maven-compiler-plugin", version));
        assertEquals("1.8", properties.getProperty("maven.compiler.source"));
        assertEquals("1.8", properties.getProperty("maven.compiler.target"));
        assertTrue(lifted.contains("compiler source " + assumed + " (assumed by the compiler plugin) raised to 1.8"),
            lifted.toString());
    }

    @Test
    void whatANewPluginAssumesOrTheProjectDeclaresStays() {
        Properties properties = new Properties();
        assertTrue(new CompilerLevel(8).lift(properties, plugin("maven-compiler-plugin", "3.11.0")).isEmpty());
        assertTrue(new CompilerLevel(8).lift(properties, plugin("maven-compiler-plugin", "2.0", "release", "11")).isEmpty());
        assertTrue(properties.isEmpty());
    }

    @Test
    void surefireAndItsProvidersGetTheOtherVersion() {
        Plugin surefire = plugin("maven-surefire-plugin", "2.22.2");
        Dependency provider = new Dependency();
        provider.setGroupId("org.apache.maven.surefire");
        provider.setArtifactId("surefire-junit47");
        provider.setVersion("2.22.2");
        Dependency other = new Dependency();
        other.setGroupId("org.example");
        other.setArtifactId("x");
        other.setVersion("1");
        surefire.addDependency(provider);
        surefire.addDependency(other);
        Set<String> changes = new SurefirePin("3.5.6", "").pin(surefire);
        assertEquals(Arrays.asList("3.5.6", "3.5.6", "1"), Arrays.asList(surefire.getVersion(), provider.getVersion(),
            other.getVersion()));
        assertEquals(set("maven-surefire-plugin 2.22.2 replaced by 3.5.6", "surefire-junit47 2.22.2 replaced by 3.5.6"), changes);
        assertTrue(new SurefirePin("3.5.6", "").pin(surefire).isEmpty(), "a second time there is nothing to do");
    }

    @Test
    void aRecentVersionCanStay() {
        Plugin surefire = plugin("maven-surefire-plugin", "2.22.2");
        assertTrue(new SurefirePin("3.5.6", "2.22.0").pin(surefire).isEmpty());
        assertEquals("2.22.2", surefire.getVersion());
        Plugin older = plugin("maven-surefire-plugin", "2.21");
        new SurefirePin("3.5.6", "2.22.0").pin(older);
        assertEquals("3.5.6", older.getVersion());
    }

    @Test
    void theDefaultIncludesOfOldVersionsAreKept() {
        Plugin surefire = plugin("maven-surefire-plugin", "2.12");
        Set<String> changes = new SurefirePin("3.5.6", "").pin(surefire);
        Xpp3Dom includes = Configuration.of(surefire).getChild("includes");
        assertEquals(3, includes.getChildCount());
        assertEquals("**/Test*.java", includes.getChild(0).getValue());
        assertTrue(changes.contains("default includes of Surefire below 2.20 kept"));
        Plugin failsafe = plugin("maven-failsafe-plugin", "2.12");
        new SurefirePin("3.5.6", "").pin(failsafe);
        assertNull(Configuration.of(failsafe));
        Plugin declared = plugin("maven-surefire-plugin", "2.12", "suiteXmlFiles", "x");
        new SurefirePin("3.5.6", "").pin(declared);
        assertNull(Configuration.of(declared).getChild("includes"));
    }

    @ParameterizedTest
    @CsvSource({"once, 4, 1, true", "always, 4, 1, false", "never, 4, 0, true", "perthread, 4, 4, false",
        "perthread, , 1, false"})
    void aForkModeIsWrittenAsSurefire3HasIt(String mode, String threads, String count, String reuse) {
        Plugin surefire = plugin("maven-surefire-plugin", "2.22.2", "forkMode", mode);
        if (threads != null) {
            Configuration.set(Configuration.of(surefire), "threadCount", threads);
        }
        new SurefirePin("3.5.6", "").pin(surefire);
        assertEquals(count + " " + reuse, value(surefire, "forkCount") + " " + value(surefire, "reuseForks"));
    }

    @Test
    void aForkCountWinsOverAForkMode() {
        Plugin surefire = plugin("maven-surefire-plugin", "2.22.2", "forkMode", "always", "forkCount", "3");
        new SurefirePin("3.5.6", "").pin(surefire);
        assertEquals("3", value(surefire, "forkCount"));
        assertNull(value(surefire, "reuseForks"));
    }
}
