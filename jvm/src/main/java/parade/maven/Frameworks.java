package parade.maven;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.apache.maven.artifact.Artifact;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;

/** The test frameworks on a module's class path, and the Surefire providers that will therefore run its tests. */
final class Frameworks {
    /** By the names that parade uses: junit, jupiter, vintage, platform, testng. */
    final Map<String, String> versions = new LinkedHashMap<>();
    final Set<String> providers = new LinkedHashSet<>();

    Frameworks(MavenProject project, Plugin plugin, Fields goal) {
        boolean platformRunner = false;
        for (Artifact artifact : project.getArtifacts()) {
            note(artifact);
            platformRunner |= artifact.getArtifactId().equals("junit-platform-runner");
        }
        for (Dependency dependency : plugin.getDependencies()) {
            noteProvider(dependency);
        }
        if (providers.isEmpty()) {
            providers.add(detect(platformRunner, goal));
        }
    }

    boolean runs(String provider) {
        return providers.contains(provider);
    }

    boolean runsJUnit4() {
        return runs("surefire-junit4") || runs("surefire-junit47");
    }

    /** Can JUnit run tests in parallel? It learnt to in 4.7. */
    boolean isJUnit47() {
        return isAtLeast("junit", "4.7");
    }

    boolean isAtLeast(String framework, String version) {
        String found = versions.get(framework);
        return found != null && new ComparableVersion(found).compareTo(new ComparableVersion(version)) >= 0;
    }

    private void note(Artifact artifact) {
        String version = artifact.getVersion();
        switch (artifact.getGroupId() + ":" + artifact.getArtifactId()) {
            case "junit:junit":
            case "junit:junit-dep":
                versions.putIfAbsent("junit", version);
                break;
            case "org.junit.jupiter:junit-jupiter-api":
                versions.put("jupiter", version);
                break;
            case "org.junit.vintage:junit-vintage-engine":
                versions.put("vintage", version);
                break;
            case "org.junit.platform:junit-platform-commons":
                versions.put("platform", version);
                break;
            case "org.testng:testng":
                versions.put("testng", version);
                break;
            default:
        }
    }

    private void noteProvider(Dependency dependency) {
        if (dependency.getGroupId().equals("org.apache.maven.surefire")
            && dependency.getArtifactId().startsWith("surefire-")) {
            providers.add(dependency.getArtifactId());
        }
        if (dependency.getGroupId().equals("org.junit.vintage")) {
            versions.putIfAbsent("vintage", dependency.getVersion());
        }
    }

    /** In the order in which Surefire itself decides. */
    private String detect(boolean platformRunner, Fields goal) {
        if (versions.containsKey("platform") && !platformRunner) {
            return "surefire-junit-platform";
        }
        if (versions.containsKey("testng")) {
            return "surefire-testng";
        }
        if (!isAtLeast("junit", "4.0")) {
            return "surefire-junit3";
        }
        boolean needs47 = goal.get("parallel") != null || goal.get("groups") != null || goal.get("excludedGroups") != null;
        return needs47 && isJUnit47() ? "surefire-junit47" : "surefire-junit4";
    }
}
