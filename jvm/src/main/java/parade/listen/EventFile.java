package parade.listen;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

import parade.Seal;

/**
 * The file to which this process writes events. Its name is deleted before a test runs, and parade has it open too. The key
 * for its lines is in its first bytes, which are overwritten at once.
 *
 * <p>parade creates the file of the direct runner, with its key. It does not know how many processes Surefire will start:
 * each of them creates a file in parade's folder and waits until parade, which watches that folder, has written a key into
 * it.
 */
final class EventFile {
    /** The key and the end of its line. */
    private static final int HEAD = 33;
    private static final int PATIENCE_MILLIS = 30_000;

    /** Always appends, so what others write is kept and detected. */
    private final OutputStream out;
    private final Seal seal;

    private EventFile(OutputStream out, Seal seal) {
        this.out = out;
        this.seal = seal;
    }

    /** Null where parade wants no records of this process. */
    static EventFile open(String place, String goal, String process) throws IOException {
        File given = new File(place);
        if (given.isFile()) {
            OutputStream out = new FileOutputStream(given, true);
            try (RandomAccessFile head = new RandomAccessFile(given, "rw")) {
                return given.delete() ? begin(head, out) : null;
            }
        }
        return given.isDirectory() ? ask(given, goal, process) : null;
    }

    private static EventFile ask(File folder, String goal, String process) throws IOException {
        String name = goal + "-" + process + "-" + Long.toHexString(System.nanoTime());
        // parade ignores this name. It answers once and deletes the file, so both streams must be open before the file is renamed.
        File own = new File(folder, name + ".new");
        if (!own.createNewFile()) {
            throw new IOException(name + " exists");
        }
        OutputStream out = new FileOutputStream(own, true);
        try (RandomAccessFile head = new RandomAccessFile(own, "rw")) {
            if (!own.renameTo(new File(folder, name + ".events"))) {
                throw new IOException(own + " cannot be renamed");
            }
            await(head);
            return begin(head, out);
        }
    }

    private static void await(RandomAccessFile head) throws IOException {
        long until = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        boolean interrupted = false;
        while (head.length() < HEAD) {
            if (System.nanoTime() - until > 0) {
                throw new IOException("parade does not answer");
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException byATest) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static EventFile begin(RandomAccessFile head, OutputStream out) throws IOException {
        byte[] key = new byte[HEAD];
        head.seek(0);
        head.readFully(key);
        if (key[0] == '-') {
            out.close();
            return null;
        }
        head.seek(0);
        head.write(new byte[HEAD]);
        return new EventFile(out, new Seal(new String(key, 0, HEAD - 1, StandardCharsets.US_ASCII)));
    }

    /** One write to the operating system, so that what happened before a crash is on record. */
    void write(byte[] line) throws IOException {
        out.write(seal.seal(line));
    }
}
