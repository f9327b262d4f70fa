package parade.maven;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.inject.Named;
import javax.inject.Singleton;

import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.execution.MojoExecutionListener;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;

/** Takes hold of Surefire's and Failsafe's goals when Maven has configured them, right before they run. */
@Named
@Singleton
public class TestGoals implements MojoExecutionListener {
    private static final List<String> TEST_GOALS =
        Arrays.asList("maven-surefire-plugin:test", "maven-failsafe-plugin:integration-test");
    /** Runs nothing, and fails the build for what the tests did. */
    private static final String JUDGING_GOAL = "maven-failsafe-plugin:verify";
    private static final Pattern LATE_PROPERTY = Pattern.compile("@\\{([^}]+)}");

    private final Set<File> clearedReports = new HashSet<>();
    private int count;

    @Override
    public synchronized void beforeMojoExecution(MojoExecutionEvent event) throws MojoExecutionException {
        String name = name(event.getExecution());
        Settings settings = TEST_GOALS.contains(name) || name.equals(JUDGING_GOAL) ? Settings.load() : null;
        if (settings == null || settings.events() == null) {
            return;
        }
        if (name.equals(JUDGING_GOAL)) {
            new Fields(event.getMojo()).set("testFailureIgnore", true);
            return;
        }
        try {
            steer(settings, event);
        } catch (IOException error) {
            throw new MojoExecutionException("parade cannot set up " + event.getExecution(), error);
        }
    }

    @Override
    public void afterMojoExecutionSuccess(MojoExecutionEvent event) {}

    @Override
    public void afterExecutionFailure(MojoExecutionEvent event) {}

    private void steer(Settings settings, MojoExecutionEvent event) throws IOException {
        MavenProject project = event.getProject();
        String module = Modules.path(event.getSession(), project);
        Fields goal = new Fields(event.getMojo());
        Frameworks frameworks = new Frameworks(project, event.getExecution().getPlugin(), goal);
        Steering steering = new Steering(settings, goal, frameworks);
        settings.handshake().write(HandshakeLines.reached(module));
        String selection = settings.selection(module, describe(event.getExecution()));
        if (!Modules.isWanted(settings.modules(), module, project) || (selection != null && selection.isEmpty())) {
            steering.skip();
            return;
        }
        if (selection != null) {
            steering.select(selection);
        }
        int number = ++count;
        if (!settings.asTheProject()) {
            steering.parallelize();
        }
        steering.observe(settings.events().getPath(), number);
        File reports = clearReports(settings, goal);
        Handshake handshake = settings.handshake();
        String argLine = expand(Objects.toString(goal.get("argLine"), ""), project);
        tell(handshake, event, number, module, frameworks, argLine, reports);
        SurefireCounts.follow(goal, number, handshake);
        if (settings.reveal()) {
            new Reveal(event.getMojo(), event.getSession(), project, settings, number).tell(handshake, argLine, frameworks);
        }
        for (String deviation : steering.deviations()) {
            handshake.deviation(module, deviation);
        }
        if (settings.fetchProviders() && frameworks.runsJUnit4()) {
            String version = event.getExecution().getPlugin().getVersion();
            String missing = Providers.fetch(goal, event.getSession(), project, version);
            if (missing != null) {
                handshake.write(HandshakeLines.unfetched(module, missing));
            }
        }
    }

    private static void tell(Handshake handshake, MojoExecutionEvent event, int number, String module,
            Frameworks frameworks, String argLine, File reports) {
        handshake.write(HandshakeLines.goal(number, module, describe(event.getExecution()),
            event.getExecution().getPlugin().getVersion(), frameworks.providers, argLine,
            reports == null ? "" : reports.getPath()));
        for (Map.Entry<String, String> framework : frameworks.versions.entrySet()) {
            handshake.write(HandshakeLines.framework(number, framework.getKey(), framework.getValue()));
        }
    }

    /** Once per folder and build, so that what lies there afterwards is of this run. */
    private File clearReports(Settings settings, Fields goal) throws IOException {
        Object folder = goal.get("reportsDirectory");
        if (!(folder instanceof File)) {
            return null;
        }
        // Reports elsewhere may be another project's. parade does not read them either.
        if (!settings.isInWorktree((File) folder)) {
            return (File) folder;
        }
        File[] reports = ((File) folder).listFiles((dir, name) -> name.startsWith("TEST-") && name.endsWith(".xml"));
        if (clearedReports.add((File) folder) && reports != null) {
            for (File report : reports) {
                if (!report.delete()) {
                    throw new IOException("cannot delete " + report);
                }
            }
        }
        return (File) folder;
    }

    /** Properties that other plugins set while the build runs, such as an agent's argLine. */
    private static String expand(String text, MavenProject project) {
        Matcher matcher = LATE_PROPERTY.matcher(text);
        StringBuffer expanded = new StringBuffer();
        while (matcher.find()) {
            String value = project.getProperties().getProperty(matcher.group(1), "");
            matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(expanded).toString();
    }

    private static String describe(MojoExecution execution) {
        return name(execution) + "@" + execution.getExecutionId();
    }

    private static String name(MojoExecution execution) {
        return execution.getArtifactId() + ":" + execution.getGoal();
    }
}
