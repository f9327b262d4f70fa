package parade.maven;

import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

import org.apache.maven.artifact.versioning.ComparableVersion;
import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Plugin;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** Lifts compiler levels that the JDK no longer supports to the lowest one that it does. */
final class CompilerLevel {
    private static final String[] PARAMETERS =
        {"source", "target", "release", "testSource", "testTarget", "testRelease"};

    private final int lowest;
    private final Set<String> lifted = new TreeSet<>();

    CompilerLevel(int lowest) {
        this.lowest = lowest;
    }

    /** Returns what was lifted, in words; empty where nothing had to be. */
    Set<String> lift(Properties properties, Plugin compiler) {
        for (String parameter : PARAMETERS) {
            String name = "maven.compiler." + parameter;
            String level = properties.getProperty(name);
            if (isTooLow(level)) {
                properties.setProperty(name, lowestFor(parameter));
                lifted.add(describe(parameter, level));
            }
        }
        if (compiler != null) {
            for (ConfigurationContainer container : Configuration.containers(compiler)) {
                liftConfiguration(Configuration.of(container));
            }
            liftDefault(properties, compiler);
        }
        return lifted;
    }

    private void liftConfiguration(Xpp3Dom configuration) {
        for (String parameter : PARAMETERS) {
            String level = Configuration.value(configuration, parameter);
            if (isTooLow(level)) {
                Configuration.set(configuration, parameter, lowestFor(parameter));
                lifted.add(describe(parameter, level));
            }
        }
    }

    /** Where nothing is declared, old versions of the plugin assume a level of their own. */
    private void liftDefault(Properties properties, Plugin compiler) {
        String assumed = assumedBy(compiler.getVersion());
        for (String parameter : new String[] {"source", "target"}) {
            String name = "maven.compiler." + parameter;
            boolean declared = properties.getProperty(name) != null
                || Configuration.value(Configuration.of(compiler), parameter) != null
                || Configuration.value(Configuration.of(compiler), "release") != null
                || properties.getProperty("maven.compiler.release") != null;
            if (!declared && isTooLow(assumed)) {
                properties.setProperty(name, lowestFor(parameter));
                lifted.add(describe(parameter, assumed + " (assumed by the compiler plugin)"));
            }
        }
    }

    private static String assumedBy(String version) {
        if (version == null || isBelow(version, "3.8.0")) {
            return "1.5";
        }
        if (isBelow(version, "3.9.0")) {
            return "1.6";
        }
        return isBelow(version, "3.11.0") ? "1.7" : "1.8";
    }

    private static boolean isBelow(String version, String other) {
        return new ComparableVersion(version).compareTo(new ComparableVersion(other)) < 0;
    }

    private String describe(String parameter, String level) {
        return "compiler " + parameter + " " + level + " raised to " + lowestFor(parameter);
    }

    private String lowestFor(String parameter) {
        return parameter.toLowerCase().endsWith("release") ? String.valueOf(lowest) : "1." + lowest;
    }

    private boolean isTooLow(String level) {
        if (level == null) {
            return false;
        }
        String number = level.trim().startsWith("1.") ? level.trim().substring(2) : level.trim();
        return number.matches("\\d{1,2}") && Integer.parseInt(number) < lowest;
    }
}
