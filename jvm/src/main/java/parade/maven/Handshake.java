package parade.maven;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

import parade.Line;

/** Tells parade what this extension saw and changed: a file, as Maven 4 prefixes everything on standard output. */
final class Handshake {
    private final File file;

    Handshake(File file) {
        this.file = file;
    }

    void deviation(String module, String text) {
        write(new Line("deviation").field(module).field(text, 4096));
    }

    synchronized void write(Line line) {
        try (OutputStream out = new FileOutputStream(file, true)) {
            out.write(line.bytes());
        } catch (IOException error) {
            throw new IllegalStateException("parade's hand-shake cannot be written to " + file, error);
        }
    }
}
