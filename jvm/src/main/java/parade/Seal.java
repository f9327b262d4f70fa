package parade;

import java.nio.charset.StandardCharsets;

/**
 * Seals the lines of one protocol file: each line has a number and a keyed hash (SipHash-2-4) of itself. Without the key,
 * nobody can add, repeat, change or remove a line unnoticed. The hash is implemented here because loading the JDK's own
 * providers would slow down every test process.
 */
public final class Seal {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private final long k0;
    private final long k1;
    private long count;

    /** From the 32 hexadecimal digits that parade gave. */
    public Seal(String key) {
        k0 = Long.parseUnsignedLong(key.substring(0, 16), 16);
        k1 = Long.parseUnsignedLong(key.substring(16, 32), 16);
    }

    /** The line as it is written; its last byte ends it. */
    public byte[] seal(byte[] line) {
        byte[] number = (++count + "\t").getBytes(StandardCharsets.US_ASCII);
        byte[] sealed = new byte[17 + number.length + line.length];
        System.arraycopy(number, 0, sealed, 17, number.length);
        System.arraycopy(line, 0, sealed, 17 + number.length, line.length);
        long hash = hash(sealed, 17, sealed.length - 1);
        for (int i = 15; i >= 0; i--) {
            sealed[i] = (byte) DIGITS[(int) (hash & 15)];
            hash >>>= 4;
        }
        sealed[16] = '\t';
        return sealed;
    }

    private long hash(byte[] bytes, int from, int to) {
        State state = new State(k0, k1);
        int words = (to - from) / 8;
        for (int word = 0; word < words; word++) {
            state.take(read(bytes, from + 8 * word, 8));
        }
        int rest = (to - from) % 8;
        state.take(read(bytes, from + 8 * words, rest) | (long) (to - from) << 56);
        return state.end();
    }

    private static long read(byte[] bytes, int at, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[at + i] & 0xffL) << (8 * i);
        }
        return word;
    }

    private static final class State {
        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(long k0, long k1) {
            v0 = k0 ^ 0x736f6d6570736575L;
            v1 = k1 ^ 0x646f72616e646f6dL;
            v2 = k0 ^ 0x6c7967656e657261L;
            v3 = k1 ^ 0x7465646279746573L;
        }

        void take(long word) {
            v3 ^= word;
            round();
            round();
            v0 ^= word;
        }

        long end() {
            v2 ^= 0xff;
            for (int i = 0; i < 4; i++) {
                round();
            }
            return v0 ^ v1 ^ v2 ^ v3;
        }

        private void round() {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
