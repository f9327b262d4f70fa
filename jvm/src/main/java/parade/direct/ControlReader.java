package parade.direct;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

import parade.Line;

/** Reads control lines as they arrive: never waits for more than the end of the line. */
final class ControlReader {
    private final InputStream in;
    private final byte[] buffer = new byte[8192];
    private int position;
    private int limit;

    ControlReader(InputStream in) {
        this.in = in;
    }

    /** Returns the kind and the fields of the next line, or null at the end. An unfinished last line is ignored. */
    String[] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            if (position == limit) {
                limit = in.read(buffer);
                position = 0;
                if (limit < 0) {
                    limit = 0;
                    return null;
                }
            }
            int start = position;
            while (position < limit && buffer[position] != '\n') {
                position++;
            }
            line.write(buffer, start, position - start);
            if (position < limit) {
                position++;
                return Line.parse(new String(line.toByteArray(), StandardCharsets.UTF_8));
            }
        }
    }
}
