package parade.maven;

import java.lang.reflect.Method;

import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;

/**
 * Lets Surefire fetch the providers that it will want in other modes. It resolves them only when it runs them, from the
 * repositories of the project at hand, and timing trials are offline.
 */
final class Providers {
    private Providers() {}

    /** Returns what could not be fetched, in words; null where all is well. */
    static String fetch(Fields goal, MavenSession session, MavenProject project, String version) {
        Object resolver = goal.get("surefireDependencyResolver");
        try {
            Method method = resolver == null ? null : find(resolver.getClass());
            if (method == null) {
                return "providers for other modes cannot be fetched with Surefire " + version;
            }
            for (String provider : new String[] {"surefire-junit4", "surefire-junit47"}) {
                method.invoke(resolver, session.getRepositorySession(), project.getRemotePluginRepositories(), provider,
                    version);
            }
            return null;
        } catch (ReflectiveOperationException error) {
            return "providers for other modes cannot be fetched: " + (error.getCause() == null ? error : error.getCause());
        }
    }

    private static Method find(Class<?> resolver) {
        for (Method method : resolver.getDeclaredMethods()) {
            if (method.getName().equals("getProviderClasspath") && method.getParameterCount() == 4) {
                method.setAccessible(true);
                return method;
            }
        }
        return null;
    }
}
