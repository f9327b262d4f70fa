import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Calls Randoop as parade's generator of tests: {@code java Randoop.java randoop-all-3.1.5.jar --outputlimit=5000 …}. What follows the
 * jar is handed to Randoop as it is. Classes, seed and folder come from parade's variables. Randoop itself runs on the subject's JDK;
 * this file needs a JDK from 11 on, as it is run from its source.
 */
public final class Randoop {
    private Randoop() {
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0 || !Files.isRegularFile(Paths.get(arguments[0]))) {
            System.err.println("the first argument has to be Randoop's jar: " + Arrays.toString(arguments));
            System.exit(2);
        }
        Path classes = Files.createTempFile("classes", ".txt");
        try {
            Files.write(classes, names());
            List<String> command = command(arguments, classes);
            System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
        } finally {
            Files.deleteIfExists(classes);
        }
    }

    private static List<String> command(String[] arguments, Path classes) {
        String path = String.join(File.pathSeparator, variable("PARADE_CLASSES"), variable("PARADE_CLASSPATH"), arguments[0]);
        List<String> command = new ArrayList<>();
        command.add(Paths.get(variable("JAVA_HOME"), "bin", "java").toString());
        command.addAll(Arrays.asList("-cp", path, "randoop.main.Main", "gentests"));
        command.add("--classlist=" + classes);
        command.add("--junit-output-dir=" + variable("PARADE_OUTPUT"));
        command.add("--randomseed=" + variable("PARADE_SEED"));
        command.addAll(Arrays.asList(arguments).subList(1, arguments.length));
        return command;
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: parade sets it for generators");
        }
        return value;
    }

    private static List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        for (String folder : variable("PARADE_CLASSES").split(File.pathSeparator)) {
            Path root = Paths.get(folder);
            if (Files.isDirectory(root)) {
                names.addAll(names(root));
            }
        }
        return names;
    }

    private static List<String> names(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("$") && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()).replace(File.separatorChar, '.'))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
