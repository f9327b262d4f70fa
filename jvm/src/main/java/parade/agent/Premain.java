package parade.agent;

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * Starts the weaver in a class loader of its own, because the subject can have another version of ASM. Woven code calls
 * classes of this package. The jar's manifest puts it on the bootstrap class path, so that every class finds it.
 */
public final class Premain {
    private static final String WEAVER = "parade.weave.Weaver";
    private static final String LIMITS = "parade.weave.Limits";

    private Premain() {}

    /** The project's folder, or {@code limits} to make those larger; then the weaver's jars, separated as a class path is. */
    public static void premain(String options, Instrumentation instrumentation) throws Exception {
        String[] parts = options.split(File.pathSeparator);
        URL[] jars = new URL[parts.length - 1];
        for (int i = 0; i < jars.length; i++) {
            jars[i] = new File(parts[i + 1]).toURI().toURL();
        }
        String name = parts[0].equals("limits") ? LIMITS : WEAVER;
        Class<?> weaver = Class.forName(name, true, new URLClassLoader(jars, null));
        Object transformer = weaver.getConstructor(String.class).newInstance(parts[0]);
        instrumentation.addTransformer((ClassFileTransformer) transformer);
    }
}
