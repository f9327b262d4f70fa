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

    /** Says hello before poms are read, as they can be broken. */
    @Override
    public void afterSessionStart(MavenSession session) {
        Settings settings = Settings.load();
        if (settings != null) {
            settings.handshake().write(HandshakeLines.hello(
                session.getSystemProperties().getProperty("maven.version"), System.getProperty("java.version")));
        }
    }

    @Override
    public void afterProjectsRead(MavenSession session) {
        Settings settings = Settings.load();
        if (settings == null) {
            return;
        }
        Handshake handshake = settings.handshake();
        if (settings.events() != null && !settings.asTheProject()) {
            buildAtOnce(settings.modulesAtOnce(), session, handshake);
        }
        for (MavenProject project : session.getProjects()) {
            handshake.write(HandshakeLines.module(Modules.path(session, project),
                project.getGroupId() + ":" + project.getArtifactId(), project.getPackaging()));
        }
        changeAll(settings, session, handshake);
    }

    /** Calling it twice changes nothing more. */
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
        Handshake handshake = settings.handshake();
        for (Throwable failure : session.getResult().getExceptions()) {
            handshake.write(describe(session, failure));
        }
        Line background = Background.line(HandshakeLines.Kind.BACKGROUND);
        if (background != null) {
            handshake.write(background);
        }
        handshake.write(HandshakeLines.end());
    }

    /** With the module, if Maven names it. */
    private static Line describe(MavenSession session, Throwable failure) {
        MavenProject project =
            failure instanceof LifecycleExecutionException ? ((LifecycleExecutionException) failure).getProject() : null;
        return HandshakeLines.failure(String.valueOf(failure.getMessage()),
            project == null ? null : Modules.path(session, project));
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
                changes.addAll(new SurefirePin(settings.surefireVersion(), settings.surefireKeptFrom()).pin(plugin));
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
