package parade.maven;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;

import parade.Line;
import parade.maven.HandshakeLines.Kind;

/**
 * Tells how Surefire would start the test process of a goal, so that parade can start a similar one without Maven. It asks
 * Surefire itself, and sets nothing that Surefire would not set right afterwards.
 */
final class Reveal {
    private static final String SUREFIRE = "org.apache.maven.surefire";
    /** Properties and variables of this build only, or told by other means. */
    private static final Set<String> NOT_FOR_TESTS =
        new HashSet<>(Arrays.asList(Settings.FILE, "maven.ext.class.path", "user.dir", "PARADE_EVENTS",
            "PARADE_GOAL", "PARADE_BACKGROUND", "MAVEN_CMD_LINE_ARGS", "MAVEN_BASEDIR"));

    private final Object mojo;
    private final Fields goal;
    private final MavenSession session;
    private final MavenProject project;
    private final Settings settings;
    private final int number;
    private final List<Line> lines = new ArrayList<>();

    Reveal(Object mojo, MavenSession session, MavenProject project, Settings settings, int number) {
        this.mojo = mojo;
        this.session = session;
        this.goal = new Fields(mojo);
        this.project = project;
        this.settings = settings;
        this.number = number;
    }

    /** Writes all lines or none, because half of a command line is of no use. */
    void tell(Handshake handshake, String argLine, Frameworks frameworks) {
        try {
            launch(argLine);
            classPath();
            program();
            surroundings();
            if (frameworks.runs("surefire-junit-platform")) {
                platformParameters();
            }
            scannedClasses();
            notes();
        } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError error) {
            String why = "Surefire does not reveal how it starts its test processes: " + error;
            handshake.write(HandshakeLines.unrevealed(number, why));
            return;
        }
        lines.forEach(handshake::write);
    }

    private void add(Kind kind, String... fields) {
        lines.add(HandshakeLines.launchPart(kind, number, fields));
    }

    private void launch(String argLine) throws ReflectiveOperationException {
        if (goal.get("workingDirectory") == null) {
            goal.set("workingDirectory", project.getBasedir());
        }
        Calls.call(mojo, "setupStuff");
        File java = (File) Calls.call(Calls.call(mojo, "getEffectiveJvm"), "getJvmExecutable");
        String assertions = String.valueOf(Calls.call(mojo, "effectiveIsEnableAssertions"));
        String reuse = String.valueOf(goal.get("reuseForks"));
        add(Kind.LAUNCH, java.getPath(), ((File) goal.get("workingDirectory")).getAbsolutePath(), argLine, assertions, reuse);
    }

    /** The tests' own first, then what Surefire adds to run them, its own parts apart. */
    private void classPath() throws ReflectiveOperationException {
        Object testClassPath = Calls.call(mojo, "generateTestClasspath");
        Set<String> path = new LinkedHashSet<>();
        for (Object element : (Collection<?>) Calls.call(Calls.call(testClassPath, "toClasspath"), "getClassPath")) {
            path.add(String.valueOf(element));
        }
        path.remove(settings.listeners());
        Map<?, ?> own = (Map<?, ?>) Calls.call(testClassPath, "getTestDependencies");
        for (Object provider : (Collection<?>) Calls.call(mojo, "createProviders", testClassPath)) {
            for (Object element : (Collection<?>) Calls.call(provider, "getProviderClasspath")) {
                Artifact artifact = (Artifact) element;
                boolean known = own.containsKey(artifact.getGroupId() + ":" + artifact.getArtifactId());
                if (!known && !artifact.getGroupId().equals(SUREFIRE) && artifact.getFile() != null) {
                    path.add(artifact.getFile().getPath());
                }
            }
        }
        path.forEach(element -> add(Kind.PATH, element));
    }

    /** The class folders of all modules, because tests of one module can run code of others. */
    private void program() {
        Set<String> folders = new LinkedHashSet<>();
        for (MavenProject module : session.getAllProjects()) {
            folders.add(module.getBuild().getOutputDirectory());
        }
        folders.forEach(folder -> add(Kind.PROGRAM, folder));
    }

    private void surroundings() throws ReflectiveOperationException {
        Properties properties = (Properties) Calls.call(mojo, "setupProperties");
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            if (!NOT_FOR_TESTS.contains(key)) {
                add(Kind.PROPERTY, key, properties.getProperty(key));
            }
        }
        Object environment = goal.get("environmentVariables");
        if (environment instanceof Map) {
            ((Map<?, ?>) environment).forEach((key, value) -> {
                if (!NOT_FOR_TESTS.contains(key)) {
                    add(Kind.ENVIRONMENT, String.valueOf(key), Objects.toString(value, ""));
                }
            });
        }
        goal.getList("excludedEnvironmentVariables").forEach(name -> add(Kind.WITHOUT, name));
    }

    /** The platform takes its configuration from system properties too. */
    private void platformParameters() throws IOException {
        Properties parameters = new Properties();
        Object declared = goal.get("properties");
        if (declared instanceof Properties) {
            parameters.load(new StringReader(((Properties) declared).getProperty("configurationParameters", "")));
        }
        for (String key : new TreeSet<>(parameters.stringPropertyNames())) {
            add(Kind.PROPERTY, key, parameters.getProperty(key));
        }
    }

    /** In the order in which Surefire will run them. */
    private void scannedClasses() throws ReflectiveOperationException {
        List<String> classes = new ArrayList<>();
        for (Object name : (Collection<?>) Calls.call(Calls.call(mojo, "scanForTestClasses"), "getClasses")) {
            classes.add(String.valueOf(name));
        }
        String order = Objects.toString(goal.get("runOrder"), "").toLowerCase(Locale.ROOT);
        if (order.equals("alphabetical")) {
            Collections.sort(classes);
        } else if (order.equals("reversealphabetical")) {
            classes.sort(Collections.reverseOrder());
        }
        classes.forEach(name -> add(Kind.SCANNED, name));
    }

    /** What a process without Surefire does not have. */
    private void notes() {
        boolean modular = new File(project.getBuild().getOutputDirectory(), "module-info.class").isFile()
            || new File(project.getBuild().getTestOutputDirectory(), "module-info.class").isFile();
        if (modular && !Boolean.FALSE.equals(goal.get("useModulePath"))) {
            add(Kind.NOTE, "Maven runs the tests on the module path; here they run on the class path");
        }
        if (goal.get("suiteXmlFiles") instanceof File[] && ((File[]) goal.get("suiteXmlFiles")).length > 0) {
            add(Kind.NOTE, "Maven runs TestNG suite files; here their tests run without the files' parameters");
        }
        Object declared = goal.get("properties");
        String listeners = declared instanceof Properties ? ((Properties) declared).getProperty("listener", "") : "";
        String others = listeners.replaceAll(",?parade\\.listen\\.\\w+", "");
        if (!others.trim().isEmpty()) {
            add(Kind.NOTE, "Maven gives the tests the listeners " + others.trim() + "; here they are missing");
        }
    }
}
