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
 * Tells which lines and methods stand behind JaCoCo's probes. Reads a file with the folders of the program's classes and the
 * probes that were hit; writes, for each class, its methods with their lines, and for each of those probes what it proves.
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
            out.write(new Line("end").bytes());
        }
    }

    private void read(String[] line) {
        if (line[0].equals("folder")) {
            folders.add(new File(line[1]));
        } else if (line[0].equals("hits")) {
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
        // Classes for other JDKs than the one that ran would only add lines that nobody can cover.
        boolean elsewhere = below.startsWith("META-INF/") && !hits.containsKey(id);
        if (elsewhere || !done.add(id)) {
            return;
        }
        try {
            for (Line line : new ProgramClass(id, content, hits.get(id)).lines()) {
                out.write(line.bytes());
            }
        } catch (IOException | RuntimeException error) {
            out.write(new Line("unread").field(below + file.getName()).field(error.toString(), 1024).bytes());
        }
    }
}
