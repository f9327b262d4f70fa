import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A small generator of tests: calls every public static method of a program's public classes some times and writes what came back as
 * JUnit 4 tests, a class for each method. All calls are made in one process, in the order in which the tests will run by name; so a
 * test may hold what an earlier call left behind, as tests of larger generators do. It knows numbers, texts and truth values, and no
 * objects.
 *
 * <p>It is run with {@code java StaticCalls.java}, by a JDK from 11 on, and reads PARADE_CLASSES, PARADE_CLASSPATH, PARADE_OUTPUT and
 * PARADE_SEED.
 */
public final class StaticCalls {
    private static final int CALLS = 3;
    private static final List<Object> NUMBERS = Arrays.asList(0, 1, 2, 10, 100);
    private static final List<Object> TEXTS = Arrays.asList("", "a", "tea", " b ");
    private static final List<Object> TRUTHS = Arrays.asList(true, false);

    private final Path output;
    private final Random random;

    private StaticCalls(Path output, Random random) {
        this.output = output;
        this.random = random;
    }

    public static void main(String[] arguments) throws Exception {
        List<Path> folders = paths("PARADE_CLASSES");
        List<URL> urls = new ArrayList<>();
        for (Path path : folders) {
            urls.add(url(path));
        }
        for (Path path : paths("PARADE_CLASSPATH")) {
            urls.add(url(path));
        }
        Random random = new Random(Long.parseLong(variable("PARADE_SEED")));
        StaticCalls generator = new StaticCalls(Paths.get(variable("PARADE_OUTPUT")), random);
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]))) {
            for (Map.Entry<String, Method> target : targets(folders, loader).entrySet()) {
                generator.write(target.getKey(), target.getValue());
            }
        }
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: parade sets it for generators");
        }
        return value;
    }

    private static List<Path> paths(String name) {
        Stream<String> parts = Arrays.stream(variable(name).split(File.pathSeparator));
        return parts.filter(part -> !part.isEmpty()).map(Paths::get).collect(Collectors.toList());
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }

    /** Methods by the full names of their test classes, which is the order in which Surefire's alphabetical one runs them. */
    private static Map<String, Method> targets(List<Path> folders, ClassLoader loader) throws Exception {
        Map<String, Method> targets = new TreeMap<>();
        for (Path folder : folders) {
            for (String name : classes(folder)) {
                Class<?> type = Class.forName(name, true, loader);
                if (Modifier.isPublic(type.getModifiers()) && !type.isMemberClass()) {
                    add(type, targets);
                }
            }
        }
        return targets;
    }

    private static List<String> classes(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Collections.emptyList();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("$") && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()).replace(File.separatorChar, '.'))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private static void add(Class<?> type, Map<String, Method> targets) {
        for (Method method : type.getDeclaredMethods()) {
            boolean callable = Modifier.isPublic(method.getModifiers()) && Modifier.isStatic(method.getModifiers());
            boolean known = Arrays.stream(method.getParameterTypes()).allMatch(StaticCalls::isKnown);
            boolean told = method.getReturnType() == void.class || isKnown(method.getReturnType());
            if (callable && known && told && !method.isSynthetic()) {
                String kinds = Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining("_"));
                String parameters = kinds.isEmpty() ? "" : "_" + kinds;
                targets.put(type.getName() + "_" + method.getName() + parameters + "_Test", method);
            }
        }
    }

    private static boolean isKnown(Class<?> type) {
        return type == int.class || type == String.class || type == boolean.class;
    }

    private void write(String name, Method method) throws Exception {
        int dot = name.lastIndexOf('.');
        StringBuilder text = new StringBuilder();
        if (dot >= 0) {
            text.append("package ").append(name, 0, dot).append(";\n\n");
        }
        text.append("import org.junit.Assert;\nimport org.junit.FixMethodOrder;\nimport org.junit.Test;\n");
        text.append("import org.junit.runners.MethodSorters;\n\n@FixMethodOrder(MethodSorters.NAME_ASCENDING)\n");
        text.append("public class ").append(name.substring(dot + 1)).append(" {\n");
        List<List<Object>> arguments = arguments(method);
        for (int call = 0; call < arguments.size(); call++) {
            text.append(test(method, call + 1, arguments.get(call)));
        }
        text.append("}\n");
        Path file = output.resolve(name.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Different ones as long as there are; a method without parameters is called once. */
    private List<List<Object>> arguments(Method method) {
        List<List<Object>> pools = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            List<Object> pool = new ArrayList<>(type == int.class ? NUMBERS : type == String.class ? TEXTS : TRUTHS);
            Collections.shuffle(pool, random);
            pools.add(pool);
        }
        List<List<Object>> calls = new ArrayList<>();
        for (int call = 0; call < (pools.isEmpty() ? 1 : CALLS); call++) {
            int number = call;
            calls.add(pools.stream().map(pool -> pool.get(number % pool.size())).collect(Collectors.toList()));
        }
        return calls;
    }

    /** Makes the call, and writes down what it gave. */
    private static String test(Method method, int number, List<Object> arguments) throws IllegalAccessException {
        String list = arguments.stream().map(StaticCalls::literal).collect(Collectors.joining(", "));
        String call = method.getDeclaringClass().getName() + "." + method.getName() + "(" + list + ")";
        try {
            Object result = method.invoke(null, arguments.toArray());
            String statement = method.getReturnType() == void.class
                    ? call
                    : "Assert.assertEquals(" + literal(result) + ", " + call + ")";
            return "    @Test\n    public void call" + number + "() {\n        " + statement + ";\n    }\n";
        } catch (InvocationTargetException thrown) {
            // What a call throws may depend on more than can be written here.
            return "";
        }
    }

    private static String literal(Object value) {
        if (!(value instanceof String)) {
            return String.valueOf(value);
        }
        StringBuilder text = new StringBuilder("\"");
        for (char each : ((String) value).toCharArray()) {
            boolean plain = each >= ' ' && each < 127 && each != '"' && each != '\\';
            text.append(plain ? String.valueOf(each) : String.format("\\u%04x", (int) each));
        }
        return text.append('"').toString();
    }
}
