package parade.weave;

import java.net.URI;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.security.ProtectionDomain;

/** Which classes are woven: all but the JDK's, those of test frameworks, and ours. */
final class Scope {
    private static final String[] LEFT_OUT = {
        "java/", "javax/", "jdk/", "sun/", "com/sun/", "parade/", "org/junit/", "junit/", "org/testng/", "com/beust/jcommander/",
        "org/hamcrest/", "org/opentest4j/", "org/apiguardian/", "org/assertj/", "org/mockito/", "org/objenesis/",
        "net/bytebuddy/", "org/apache/maven/surefire/", "org/jacoco/",
    };

    private final Path project;

    Scope(String project) {
        this.project = Paths.get(project);
    }

    boolean contains(String name) {
        for (String prefix : LEFT_OUT) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    /** Does the class lie in the project's folder? What has no place was made by the project while it ran. */
    boolean isOfProject(ProtectionDomain domain) {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        if (source == null || source.getLocation() == null) {
            return true;
        }
        try {
            URI place = source.getLocation().toURI();
            return "file".equals(place.getScheme()) && Paths.get(place).startsWith(project);
        } catch (Exception elsewhere) {
            return false;
        }
    }
}
