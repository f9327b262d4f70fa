package parade.maven;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

import parade.Line;

/**
 * Tells parade what this extension saw and changed: a file, as Maven 4 prefixes everything on standard output. Modules that
 * are built at the same time write to it too, so each line is appended whole, by one thread at a time.
 */
final class Handshake {
    private final File file;

    Handshake(File file) {
        this.file = file;
    }

    void deviation(String module, String text) {
        write(new Line("deviation").field(module).field(text, 4096));
    }

    void write(Line line) {
        synchronized (Handshake.class) {
            append(line.bytes());
        }
    }

    private void append(byte[] line) {
        try (OutputStream out = new FileOutputStream(file, true)) {
            out.write(line);
        } catch (IOException error) {
            throw new IllegalStateException("parade's hand-shake cannot be written to " + file, error);
        }
    }
}
