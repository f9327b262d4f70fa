package parade.cover;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jacoco.core.internal.data.CRC64;

import parade.Line;

/**
 * Finds the lines and methods behind JaCoCo's probes. It reads a file with the folders of the program's classes and the
 * probes that were hit. For each class it writes the methods with their lines, and for each of those probes what has run if
 * it was hit.
 */
public final class Analysis {
    private final List<File> folders = new ArrayList<>();
    private final Map<Long, String> hits = new HashMap<>();
    private final Set<Long> done = new HashSet<>();
    private final OutputStream out;

    private Analysis(OutputStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(args[1]))) {
            Analysis analysis = new Analysis(out);
            for (String line : Files.readAllLines(new File(args[0]).toPath(), StandardCharsets.UTF_8)) {
                analysis.read(Line.parse(line));
            }
            for (File folder : analysis.folders) {
                analysis.folder(folder, "");
            }
            out.write(AnswerLines.end().bytes());
        }
    }

    private void read(String[] line) {
        QuestionKind kind = QuestionKind.of(line[0]);
        if (kind == QuestionKind.FOLDER) {
            folders.add(new File(line[1]));
        } else if (kind == QuestionKind.HITS) {
            hits.put(Long.parseUnsignedLong(line[1], 16), line[2]);
        }
    }

    private void folder(File folder, String below) throws IOException {
        File[] files = folder.listFiles();
        if (files == null) {
            return;
        }
        Arrays.sort(files);
        for (File file : files) {
            if (file.isDirectory()) {
                folder(file, below + file.getName() + "/");
            } else if (file.getName().endsWith(".class") && !file.getName().equals("module-info.class")) {
                classFile(file, below);
            }
        }
    }

    private void classFile(File file, String below) throws IOException {
        byte[] content = Files.readAllBytes(file.toPath());
        long id = CRC64.classId(content);
        // Classes for other JDKs would only add lines that cannot be covered.
        boolean elsewhere = below.startsWith("META-INF/") && !hits.containsKey(id);
        if (elsewhere || !done.add(id)) {
            return;
        }
        try {
            for (Line line : new ProgramClass(id, content, hits.get(id)).lines()) {
                out.write(line.bytes());
            }
        } catch (IOException | RuntimeException error) {
            out.write(AnswerLines.unread(below + file.getName(), error.toString()).bytes());
        }
    }
}
