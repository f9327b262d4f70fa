package parade.maven;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

import org.apache.maven.artifact.Artifact;
import org.apache.maven.artifact.DefaultArtifact;
import org.apache.maven.artifact.handler.DefaultArtifactHandler;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SteeringTest {
    @TempDir
    Path folder;

    private final SurefireLikeGoal goal = new SurefireLikeGoal();

    /** The frameworks of a project with these artifacts, each as `group:artifact:version`. */
    private Frameworks frameworks(String... artifacts) {
        Set<Artifact> all = new LinkedHashSet<>();
        for (String artifact : artifacts) {
            String[] parts = artifact.split(":");
            all.add(new DefaultArtifact(parts[0], parts[1], parts[2], "test", "jar", "", new DefaultArtifactHandler("jar")));
        }
        MavenProject project = new MavenProject();
        project.setArtifacts(all);
        return new Frameworks(project, new Plugin(), new Fields(goal));
    }

    private Steering steering(String mode, Frameworks frameworks) throws Exception {
        Map<String, String> replaced = new HashMap<>();
        replaced.put("mode", mode);
        replaced.put("listeners", "/h/parade-jvm.jar");
        boolean sequential = mode.equals("sequential");
        replaced.put("forks", sequential ? "1" : "2");
        replaced.put("forks.reuse", "true");
        return new Steering(ExampleSettings.in(folder, replaced), new Fields(goal), frameworks);
    }

    private static final String JUNIT4 = "junit:junit:4.13.2";
    private static final String TESTNG = "org.testng:testng:7.5";
    private static final String PLATFORM = "org.junit.platform:junit-platform-commons:1.9.3";

    @ParameterizedTest
    @CsvSource({
        "junit:junit:3.8.1, surefire-junit3",
        "junit:junit:4.13.2, surefire-junit4",
        "org.testng:testng:7.5, surefire-testng",
        "org.junit.platform:junit-platform-commons:1.9.3, surefire-junit-platform",
    })
    void theProviderFollowsFromTheArtifacts(String artifact, String provider) {
        assertEquals(Collections.singleton(provider), frameworks(artifact).providers);
    }

    @Test
    void groupsNeedTheOtherProviderOfJUnit4() {
        goal.groups = "fast";
        assertTrue(frameworks(JUNIT4).runs("surefire-junit47"));
        assertTrue(frameworks("junit:junit:4.5").runs("surefire-junit4"), "which did not have it yet");
    }

    @Test
    void aRunnerOfJUnit4IsNotThePlatform() {
        Frameworks frameworks = frameworks(PLATFORM, "org.junit.platform:junit-platform-runner:1.9.3", JUNIT4);
        assertTrue(frameworks.runsJUnit4());
        assertEquals("1.9.3", frameworks.versions.get("platform"));
    }

    @Test
    void declaredProvidersAreTaken() {
        Plugin plugin = new Plugin();
        for (String[] each : new String[][] {{"org.apache.maven.surefire", "surefire-junit47"},
            {"org.apache.maven.surefire", "surefire-testng"}}) {
            Dependency dependency = new Dependency();
            dependency.setGroupId(each[0]);
            dependency.setArtifactId(each[1]);
            plugin.addDependency(dependency);
        }
        MavenProject project = new MavenProject();
        project.setArtifacts(Collections.<Artifact>emptySet());
        Frameworks frameworks = new Frameworks(project, plugin, new Fields(goal));
        assertEquals(new LinkedHashSet<>(Arrays.asList("surefire-junit47", "surefire-testng")), frameworks.providers);
    }

    @Test
    void aSequentialRunIsSequentialWhateverTheProjectSays() throws Exception {
        goal.parallel = "classes";
        goal.threadCount = 8;
        goal.forkCount = "3";
        goal.runOrder = "random";
        Steering steering = steering("sequential", frameworks(JUNIT4));
        steering.parallelize();
        assertNull(goal.parallel);
        assertEquals("0 1 filesystem", goal.threadCount + " " + goal.forkCount + " " + goal.runOrder);
        assertFalse(goal.perCoreThreadCount || goal.failIfNoTests);
        assertEquals(0, goal.rerunFailingTestsCount + goal.skipAfterFailureCount + goal.forkedProcessTimeoutInSeconds);
        assertEquals(Arrays.asList("the project sets forkCount=3; overridden", "the project sets runOrder=random; overridden",
            "the project sets parallel=classes; overridden", "the project sets threadCount=8; overridden"),
                steering.deviations());
    }

    @Test
    void junit4GetsSurefiresOwnParallelism() throws Exception {
        Steering steering = steering("classesAndMethods", frameworks(JUNIT4));
        steering.parallelize();
        assertEquals("classesAndMethods 7 2", goal.parallel + " " + goal.threadCount + " " + goal.forkCount);
        assertTrue(goal.perCoreThreadCount);
        assertTrue(steering.deviations().isEmpty(), steering.deviations().toString());
    }

    /** Surefire multiplies by the cores for JUnit only, and TestNG has no mode for both. */
    @Test
    void testNgGetsAllThreadsAndNoModeForBoth() throws Exception {
        steering("methods", frameworks(TESTNG)).parallelize();
        assertEquals("methods 14", goal.parallel + " " + goal.threadCount);
        assertFalse(goal.perCoreThreadCount);
    }

    @ParameterizedTest
    @CsvSource({"sequential", "classesAndMethods"})
    void testNgIsToldWhenItIsNotToRunInParallel(String mode) throws Exception {
        goal.properties = new Properties();
        goal.properties.setProperty("threadcount", "5");
        goal.properties.setProperty("own", "x");
        steering(mode, frameworks(TESTNG)).parallelize();
        assertEquals("none 1", goal.parallel + " " + goal.threadCount);
        assertEquals(Map.of("dataproviderthreadcount", "1", "own", "x"), goal.properties);
    }

    @Test
    void thePlatformGetsItsParametersBehindThoseOfTheProject() throws Exception {
        goal.properties = new Properties();
        goal.properties.setProperty("configurationParameters", "junit.jupiter.execution.parallel.enabled = true");
        Steering steering = steering("classes", frameworks(PLATFORM));
        steering.parallelize();
        Properties parameters = new Properties();
        parameters.load(new java.io.StringReader(goal.properties.getProperty("configurationParameters")));
        assertEquals("true", parameters.getProperty("junit.jupiter.execution.parallel.enabled"));
        assertEquals("same_thread", parameters.getProperty("junit.jupiter.execution.parallel.mode.default"));
        assertEquals("concurrent", parameters.getProperty("junit.jupiter.execution.parallel.mode.classes.default"));
        assertEquals("14", parameters.getProperty("junit.jupiter.execution.parallel.config.fixed.parallelism"));
        assertNull(goal.parallel);
        assertEquals(Collections.singletonList("the project runs the JUnit Platform in parallel; overridden"),
            steering.deviations());
    }

    @Test
    void aSequentialPlatformHasNoThreadsToSet() throws Exception {
        steering("sequential", frameworks(PLATFORM)).parallelize();
        String parameters = goal.properties.getProperty("configurationParameters");
        assertTrue(parameters.contains("junit.jupiter.execution.parallel.enabled=false\n"), parameters);
        assertFalse(parameters.contains("parallelism"), parameters);
    }

    @Test
    void isolationThatTheProjectWantsIsKept() throws Exception {
        goal.reuseForks = false;
        Steering steering = steering("classes", frameworks(JUNIT4));
        steering.parallelize();
        assertFalse(goal.reuseForks);
        assertEquals(Collections.singletonList(
            "the project sets reuseForks=false; kept, so that every test class has a process of its own"), steering.deviations());
    }

    @Test
    void testProcessesReport() throws Exception {
        goal.environmentVariables = Map.of("X", "y");
        Steering steering = steering("sequential", frameworks(JUNIT4));
        steering.observe("/e", 3);
        assertEquals(Map.of("X", "y", "PARADE_EVENTS", "/e", "PARADE_GOAL", "3", "PARADE_BACKGROUND", "1",
            "MAVEN_CMD_LINE_ARGS", "", "MAVEN_BASEDIR", ""),
            goal.environmentVariables);
        assertArrayEquals(new String[] {"own.jar", "/h/parade-jvm.jar"}, goal.additionalClasspathElements);
        assertEquals("parade.listen.JUnit4Listener", goal.properties.getProperty("listener"));
        assertTrue(goal.testFailureIgnore && goal.printSummary);
        assertFalse(goal.disableXmlReport || goal.reportTestTimestamp);
        assertNull(System.getProperty("PARADE_GOAL"), "only where tests run in Maven's own process");
    }

    @Test
    void aListenerComesAfterThoseOfTheProject() throws Exception {
        goal.properties = new Properties();
        goal.properties.setProperty("listener", "a.B");
        steering("sequential", frameworks(TESTNG)).observe("/e", 1);
        assertEquals("a.B,parade.listen.TestNgFixtureListener", goal.properties.getProperty("listener"));
    }

    @Test
    void oldVersionsOfTestNgDoNotTellOfFixtures() throws Exception {
        steering("sequential", frameworks("org.testng:testng:6.5")).observe("/e", 1);
        assertEquals("parade.listen.TestNgListener", goal.properties.getProperty("listener"));
    }

    @Test
    void thePlatformFindsItsListenerItself() throws Exception {
        steering("sequential", frameworks(PLATFORM)).observe("/e", 1);
        assertNull(goal.properties);
    }

    @Test
    void aSelectionAndASkipAreSet() throws Exception {
        Steering steering = steering("sequential", frameworks(JUNIT4));
        steering.select("a.B#c");
        steering.skip();
        assertEquals("a.B#c", goal.test);
        assertFalse(goal.failIfNoSpecifiedTests);
        assertTrue(goal.skipTests);
    }

    @Test
    void aFieldThatIsMissingIsSaidWhereItMatters() throws Exception {
        class VeryOld {
            String forkMode = "once";
        }
        Map<String, String> parallel = Map.of("mode", "classes", "forks", "2", "forks.reuse", "true");
        Steering steering = new Steering(ExampleSettings.in(folder, parallel), new Fields(new VeryOld()), frameworks(JUNIT4));
        steering.parallelize();
        assertTrue(steering.deviations().contains("this version of Surefire has no forkCount, so it cannot be set to 2"),
            steering.deviations().toString());
    }

    @Test
    void modulesAreNamedInMavensWays() {
        MavenProject project = new MavenProject();
        project.setGroupId("g");
        project.setArtifactId("a");
        for (String wanted : new String[] {"lib", "./lib", ":a", "g:a"}) {
            assertTrue(Modules.isWanted(Collections.singletonList(wanted), "lib", project), wanted);
        }
        assertTrue(Modules.isWanted(Collections.<String>emptyList(), "lib", project));
        assertTrue(Modules.isWanted(Collections.singletonList("."), "", project));
        assertFalse(Modules.isWanted(Arrays.asList("other", ":b", "h:a"), "lib", project));
    }
}
