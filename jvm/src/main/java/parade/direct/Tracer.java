package parade.direct;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

import parade.direct.core.Events;
import parade.listen.EventLog;

/**
 * Records which of JaCoCo's probes each test hits: one record per test and one write per record, so that everything before a
 * crash is recorded. JaCoCo's agent is on the command line of this process and is called by reflection.
 *
 * Code that runs between two tests belongs to the test that follows, unless it is settled: then it belongs to the last test.
 */
final class Tracer implements EventLog.Recorder {
    /** The largest size of the file. A record without a test says that it was reached. */
    private static final long LIMIT = 1L << 30;
    private static final int FULL = 0;
    private static final int HEADER = 0x01;
    private static final int SESSION = 0x10;
    private static final int CLASS = 0x11;

    private final Object agent;
    private final Method dump;
    private final OutputStream out;
    /** Numbers of classes in the file. */
    private final Map<Long, Integer> classes = new HashMap<>();
    private long written;
    private int running;
    private int last;
    private boolean over;

    Tracer(Object agent, Method dump, OutputStream out) {
        this.agent = agent;
        this.dump = dump;
        this.out = out;
    }

    static void begin(String file) throws IOException {
        try {
            Object agent = Class.forName("org.jacoco.agent.rt.RT").getMethod("getAgent").invoke(null);
            Method dump = Class.forName("org.jacoco.agent.rt.IAgent").getMethod("getExecutionData", boolean.class);
            final Tracer tracer = new Tracer(agent, dump, new FileOutputStream(file));
            EventLog.get().record(tracer);
            Runtime.getRuntime().addShutdownHook(new Thread("parade-tracer") {
                @Override
                public void run() {
                    tracer.cutOff();
                }
            });
        } catch (ReflectiveOperationException error) {
            throw new IOException("JaCoCo's agent does not answer: " + error, error);
        }
    }

    @Override
    public synchronized void started(int number) {
        running = number;
    }

    @Override
    public synchronized void ended(int number) {
        write(number);
        running = 0;
        last = number;
    }

    /** What ran since the last test ended belongs to that test. */
    @Override
    public synchronized void settled() {
        if (last != 0 && running == 0) {
            write(last);
        }
    }

    /** If a test ends the process, what it ran is recorded too. */
    private synchronized void cutOff() {
        if (running != 0) {
            write(running);
        }
        over = true;
    }

    private void write(int number) {
        if (over) {
            return;
        }
        try {
            byte[] hits = compact((byte[]) dump.invoke(agent, true));
            over = written + hits.length > LIMIT;
            byte[] record = over ? record(FULL, new byte[0]) : record(number, hits);
            out.write(record);
            written += record.length;
        } catch (IOException | ReflectiveOperationException | RuntimeException error) {
            over = true;
            Events.complain("cannot record coverage: " + error);
        }
    }

    private static byte[] record(int number, byte[] hits) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(hits.length + 8);
        DataOutputStream record = new DataOutputStream(bytes);
        record.writeInt(number);
        record.writeInt(hits.length);
        record.write(hits);
        return bytes.toByteArray();
    }

    /** JaCoCo names each class in each dump; here it is named once, and has a number from then on. */
    private byte[] compact(byte[] dumped) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(dumped));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream hits = new DataOutputStream(bytes);
        for (int kind = in.read(); kind >= 0; kind = in.read()) {
            switch (kind) {
                case HEADER:
                    in.readInt();
                    break;
                case SESSION:
                    in.readUTF();
                    in.readLong();
                    in.readLong();
                    break;
                case CLASS:
                    copyClass(in, hits);
                    break;
                default:
                    throw new IOException("a dump of JaCoCo has a block of kind " + kind);
            }
        }
        return bytes.toByteArray();
    }

    private void copyClass(DataInputStream in, DataOutputStream hits) throws IOException {
        long id = in.readLong();
        String name = in.readUTF();
        int probes = readLength(in);
        byte[] bits = new byte[(probes + 7) / 8];
        in.readFully(bits);
        Integer known = classes.get(id);
        hits.writeInt(known == null ? classes.size() : known);
        if (known == null) {
            classes.put(id, classes.size());
            hits.writeLong(id);
            hits.writeUTF(name);
            hits.writeInt(probes);
        }
        hits.write(bits);
    }

    /** Seven bits a byte, the lowest first. */
    private static int readLength(DataInputStream in) throws IOException {
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            int part = in.readUnsignedByte();
            length |= (part & 0x7f) << shift;
            if ((part & 0x80) == 0) {
                return length;
            }
        }
    }
}
