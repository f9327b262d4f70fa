package parade;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Classes that are compiled from a text, so that a test knows their lines. */
public final class Compiled {
    private final Map<String, byte[]> classes = new HashMap<>();

    /** The text of one file, whose class has this name. */
    public Compiled(String name, String... lines) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileManager manager = new Manager(compiler.getStandardFileManager(null, null, null));
        List<String> options = Arrays.asList("-g", "-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"));
        boolean compiled = compiler.getTask(null, manager, null, options, null,
            Collections.singletonList(new Source(name, String.join("\n", lines)))).call();
        if (!compiled) {
            throw new IllegalArgumentException(name + " does not compile");
        }
    }

    public byte[] bytes(String name) {
        return classes.get(name);
    }

    public Map<String, byte[]> all() {
        return classes;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("memory:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreErrors) {
            return text;
        }
    }

    private final class Manager extends ForwardingJavaFileManager<JavaFileManager> {
        Manager(JavaFileManager standard) {
            super(standard);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() throws IOException {
                            classes.put(name, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
