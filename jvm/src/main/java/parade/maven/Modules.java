package parade.maven;

import java.io.File;
import java.nio.file.Path;
import java.util.List;

import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;

/** How modules are called: by their path below the folder in which Maven was started. */
final class Modules {
    private Modules() {}

    static String path(MavenSession session, MavenProject project) {
        Path root = new File(session.getExecutionRootDirectory()).toPath().toAbsolutePath().normalize();
        Path base = project.getBasedir().toPath().toAbsolutePath().normalize();
        return root.relativize(base).toString().replace(File.separatorChar, '/');
    }

    /** Is the module among those asked for, written as path, :artifact or group:artifact? */
    static boolean isWanted(List<String> wanted, String path, MavenProject project) {
        String artifact = project.getArtifactId();
        return wanted.isEmpty() || wanted.contains(path) || wanted.contains(":" + artifact)
            || wanted.contains(project.getGroupId() + ":" + artifact)
            || wanted.contains("./" + path) || (path.isEmpty() && wanted.contains("."));
    }
}
