package parade.maven;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import parade.Protocol;

/** The settings that the table of the protocol has for an example, some of them replaced. */
final class ExampleSettings {
    private ExampleSettings() {}

    static Settings in(Path folder, Map<String, String> replaced) throws IOException {
        List<String> lines = Protocol.examples("settings").stream()
            .map(line -> line.replace("DIR", folder.toString()))
            .map(line -> {
                String key = line.substring(0, line.indexOf('='));
                return replaced.containsKey(key) ? key + "=" + replaced.get(key) : line;
            })
            .collect(Collectors.toList());
        Files.createFile(folder.resolve("handshake"));
        Files.write(folder.resolve("selection"), Protocol.examples("selection"), StandardCharsets.UTF_8);
        return Settings.read(Files.write(folder.resolve("settings"), lines, StandardCharsets.UTF_8));
    }
}
