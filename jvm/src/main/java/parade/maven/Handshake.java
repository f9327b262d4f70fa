package parade.maven;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;

import parade.Line;
import parade.Seal;

/**
 * The file in which the extension tells parade what it saw and changed. It is not standard output, because Maven 4 prefixes
 * everything there. Modules that are built at the same time write to it too, so each line is written as a whole, by one
 * thread at a time. parade has the file open. Its name is deleted at once and its lines are sealed, so that no test can add
 * to it.
 */
final class Handshake {
    private final OutputStream out;
    private final Seal seal;

    Handshake(File file, String key) throws IOException {
        out = new FileOutputStream(file, true);
        seal = new Seal(key);
        Files.delete(file.toPath());
    }

    void deviation(String module, String text) {
        write(HandshakeLines.deviation(module, text));
    }

    synchronized void write(Line line) {
        try {
            out.write(seal.seal(line.bytes()));
        } catch (IOException error) {
            throw new IllegalStateException("parade's hand-shake cannot be written", error);
        }
    }
}
