package parade.maven;

import java.util.Set;
import java.util.TreeSet;

import org.apache.maven.artifact.versioning.ComparableVersion;
import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** Gives Surefire or Failsafe another version, and keeps what the old version would have done. */
final class SurefirePin {
    private static final String PROVIDERS = "org.apache.maven.surefire";
    private static final String[] OLD_INCLUDES = {"**/Test*.java", "**/*Test.java", "**/*TestCase.java"};

    private final String version;
    private final String keptFrom;
    private final Set<String> changes = new TreeSet<>();

    /** A plugin of the version `keptFrom` or newer stays as it is; empty to replace every other version. */
    SurefirePin(String version, String keptFrom) {
        this.version = version;
        this.keptFrom = keptFrom;
    }

    /** Returns what was changed, in words. */
    Set<String> pin(Plugin plugin) {
        String old = plugin.getVersion();
        if (!keptFrom.isEmpty() && old != null && !isBelow(old, keptFrom)) {
            return changes;
        }
        if (!version.equals(old)) {
            plugin.setVersion(version);
            changes.add(plugin.getArtifactId() + " " + (old == null ? "without a version" : old) + " replaced by " + version);
        }
        for (Dependency provider : plugin.getDependencies()) {
            pinProvider(provider);
        }
        boolean oldIncludes = plugin.getArtifactId().equals("maven-surefire-plugin") && isBelow(old, "2.20");
        for (ConfigurationContainer container : Configuration.containers(plugin)) {
            convertForkMode(Configuration.of(container));
            if (oldIncludes) {
                keepIncludes(container);
            }
        }
        return changes;
    }

    private void pinProvider(Dependency provider) {
        if (provider.getGroupId().equals(PROVIDERS) && !version.equals(provider.getVersion())) {
            changes.add(provider.getArtifactId() + " " + provider.getVersion() + " replaced by " + version);
            provider.setVersion(version);
        }
    }

    /** Until 2.20 classes that end in Tests did not run by default. */
    private void keepIncludes(ConfigurationContainer container) {
        if (container instanceof PluginExecution && Configuration.of(container) == null) {
            return;
        }
        Xpp3Dom configuration = Configuration.create(container);
        if (configuration.getChild("includes") != null || configuration.getChild("includesFile") != null
            || configuration.getChild("suiteXmlFiles") != null) {
            return;
        }
        Xpp3Dom includes = new Xpp3Dom("includes");
        for (String pattern : OLD_INCLUDES) {
            Xpp3Dom include = new Xpp3Dom("include");
            include.setValue(pattern);
            includes.addChild(include);
        }
        configuration.addChild(includes);
        changes.add("default includes of Surefire below 2.20 kept");
    }

    /** Ignored by Surefire 3, without a word. */
    private void convertForkMode(Xpp3Dom configuration) {
        String mode = Configuration.value(configuration, "forkMode");
        if (mode == null || Configuration.value(configuration, "forkCount") != null) {
            return;
        }
        String threads = Configuration.value(configuration, "threadCount");
        boolean never = mode.equals("never") || mode.equals("none");
        boolean perThread = mode.equals("perthread") && threads != null;
        Configuration.set(configuration, "forkCount", never ? "0" : perThread ? threads : "1");
        Configuration.set(configuration, "reuseForks", String.valueOf(never || mode.equals("once")));
        changes.add("forkMode " + mode + " written as forkCount and reuseForks");
    }

    private static boolean isBelow(String version, String other) {
        return version != null && new ComparableVersion(version).compareTo(new ComparableVersion(other)) < 0;
    }
}
