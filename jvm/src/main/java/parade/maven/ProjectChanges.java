package parade.maven;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import javax.inject.Named;
import javax.inject.Singleton;

import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.lifecycle.LifecycleExecutionException;
import org.apache.maven.model.Build;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginManagement;
import org.apache.maven.project.MavenProject;

import parade.Background;
import parade.Line;

/** Changes every module's model after Maven has read it, and before it decides what to do. Poms stay as they are. */
@Named
@Singleton
public class ProjectChanges extends AbstractMavenLifecycleParticipant {
    private static final String PLUGINS = "org.apache.maven.plugins:";

    /** Also a build whose poms cannot be read has said hello. */
    @Override
    public void afterSessionStart(MavenSession session) {
        Settings settings = Settings.load();
        if (settings != null) {
            new Handshake(settings.handshake()).write(new Line("hello").field(1)
                .field(session.getSystemProperties().getProperty("maven.version"))
                .field(System.getProperty("java.version")));
        }
    }

    @Override
    public void afterProjectsRead(MavenSession session) {
        Settings settings = Settings.load();
        if (settings == null) {
            return;
        }
        Handshake handshake = new Handshake(settings.handshake());
        if (settings.events() != null && !settings.asTheProject()) {
            buildAtOnce(settings.modulesAtOnce(), session, handshake);
        }
        for (MavenProject project : session.getProjects()) {
            handshake.write(new Line("module").field(Modules.path(session, project))
                .field(project.getGroupId() + ":" + project.getArtifactId()).field(project.getPackaging()));
        }
        changeAll(settings, session, handshake);
    }

    /** What is as it should be already stays so. */
    static void changeAll(Settings settings, MavenSession session, Handshake handshake) {
        for (MavenProject project : session.getProjects()) {
            for (String change : change(settings, project)) {
                handshake.deviation(Modules.path(session, project), change);
            }
        }
    }

    @Override
    public void afterSessionEnd(MavenSession session) {
        Settings settings = Settings.load();
        if (settings == null || session.getResult() == null) {
            return;
        }
        Handshake handshake = new Handshake(settings.handshake());
        for (Throwable failure : session.getResult().getExceptions()) {
            handshake.write(describe(session, failure));
        }
        Line background = Background.line("background");
        if (background != null) {
            handshake.write(background);
        }
        handshake.write(new Line("end"));
    }

    /** With the module where Maven names it: what comes after a module's tests has not kept them from running. */
    private static Line describe(MavenSession session, Throwable failure) {
        Line line = new Line("failure").field(String.valueOf(failure.getMessage()), 8192);
        MavenProject project =
            failure instanceof LifecycleExecutionException ? ((LifecycleExecutionException) failure).getProject() : null;
        return project == null ? line : line.field(Modules.path(session, project));
    }

    /**
     * Modules that are built at the same time run their tests at the same time. Maven reads this number after all of its
     * sources have spoken: .mvn/maven.config, MAVEN_ARGS and the command line.
     */
    private static void buildAtOnce(int wanted, MavenSession session, Handshake handshake) {
        int declared = session.getRequest().getDegreeOfConcurrency();
        if (declared != wanted) {
            session.getRequest().setDegreeOfConcurrency(wanted);
            handshake.deviation("", "the project builds up to " + declared + " modules at once (-T); overridden");
        }
    }

    private static Set<String> change(Settings settings, MavenProject project) {
        Set<String> changes = new TreeSet<>();
        Build build = project.getBuild();
        for (String disabled : settings.disabledPlugins()) {
            Plugin plugin = build.getPluginsAsMap().get(disabled);
            if (plugin != null) {
                build.removePlugin(plugin);
                changes.add("plugin " + disabled + " disabled");
            }
        }
        if (settings.lowestCompilerLevel() > 0) {
            Plugin compiler = build.getPluginsAsMap().get(PLUGINS + "maven-compiler-plugin");
            changes.addAll(new CompilerLevel(settings.lowestCompilerLevel()).lift(project.getProperties(), compiler));
        }
        if (!settings.surefireVersion().isEmpty()) {
            for (Plugin plugin : testPlugins(build)) {
                changes.addAll(new SurefirePin(settings.surefireVersion()).pin(plugin));
            }
        }
        return changes;
    }

    private static List<Plugin> testPlugins(Build build) {
        List<Plugin> plugins = new ArrayList<>(build.getPlugins());
        PluginManagement management = build.getPluginManagement();
        if (management != null) {
            plugins.addAll(management.getPlugins());
        }
        plugins.removeIf(plugin -> !plugin.getKey().equals(PLUGINS + "maven-surefire-plugin")
            && !plugin.getKey().equals(PLUGINS + "maven-failsafe-plugin"));
        return plugins;
    }
}
