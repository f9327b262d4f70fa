package parade.maven;

import java.util.ArrayList;
import java.util.List;

import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Plugin;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * A plugin's configuration and those of its executions. When an extension sees them, Maven has already merged the
 * former into the latter, so that a change has to be made in every one.
 */
final class Configuration {
    private Configuration() {}

    static List<ConfigurationContainer> containers(Plugin plugin) {
        List<ConfigurationContainer> containers = new ArrayList<>();
        containers.add(plugin);
        containers.addAll(plugin.getExecutions());
        return containers;
    }

    static Xpp3Dom of(ConfigurationContainer container) {
        return container.getConfiguration() instanceof Xpp3Dom ? (Xpp3Dom) container.getConfiguration() : null;
    }

    static Xpp3Dom create(ConfigurationContainer container) {
        Xpp3Dom configuration = of(container);
        if (configuration == null) {
            configuration = new Xpp3Dom("configuration");
            container.setConfiguration(configuration);
        }
        return configuration;
    }

    /** Null where it is not set. */
    static String value(Xpp3Dom configuration, String name) {
        Xpp3Dom child = configuration == null ? null : configuration.getChild(name);
        return child == null || child.getValue() == null ? null : child.getValue().trim();
    }

    static void set(Xpp3Dom configuration, String name, String value) {
        Xpp3Dom child = configuration.getChild(name);
        if (child == null) {
            child = new Xpp3Dom(name);
            configuration.addChild(child);
        }
        child.setValue(value);
    }
}
