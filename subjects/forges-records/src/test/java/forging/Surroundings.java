package forging;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.stream.Stream;

/** What test code can see of the processes that started it, and of the files that parade makes meanwhile. */
final class Surroundings {
    private Surroundings() {}

    static String describe() throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String process = Forging.process(); !process.equals("0") && !process.equals("1"); process = parent(process)) {
            String command = read("/proc/" + process + "/cmdline");
            // What started parade, and parade's own command line, are the same for all trials of a run.
            if (command.split("\0", 2)[0].endsWith("/parade")) {
                break;
            }
            seen.append(command).append(read("/proc/" + process + "/environ"));
            for (File descriptor : Forging.descriptors(process, "/")) {
                seen.append(target(descriptor.toPath())).append(' ');
            }
            seen.append(target(Paths.get("/proc", process, "cwd"))).append(' ');
        }
        File exchange = Forging.place().getParentFile();
        for (int i = 0; i < 2 && exchange != null; i++) {
            exchange = exchange.getParentFile();
        }
        if (exchange != null && exchange.getName().equals("exchange")) {
            names(exchange.toPath(), seen);
        }
        return seen.toString();
    }

    private static String parent(String process) throws IOException {
        String stat = read("/proc/" + process + "/stat");
        return stat.isEmpty() ? "0" : stat.substring(stat.lastIndexOf(')') + 2).split(" ")[1];
    }

    private static String read(String file) {
        try {
            return new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8);
        } catch (IOException refused) {
            return "";
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException refused) {
            return "";
        }
    }

    private static void names(Path folder, StringBuilder seen) {
        try (Stream<Path> found = Files.walk(folder, 4)) {
            found.forEach(path -> seen.append(path).append(' '));
        } catch (IOException | java.io.UncheckedIOException unreadable) {
            seen.append(' ');
        }
    }
}
