package parade;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One line of a protocol file: fields separated by tabs, percent-escaped, so that any text survives. */
public final class Line {
    private final StringBuilder text = new StringBuilder();

    public Line(LineKind kind) {
        text.append(kind.word());
    }

    public Line field(String value) {
        return field(value, Integer.MAX_VALUE);
    }

    /** Appends a field, cut to so many characters. */
    public Line field(String value, int limit) {
        text.append('\t');
        if (value != null) {
            escape(value.length() > limit ? value.substring(0, limit) : value);
        }
        return this;
    }

    public Line field(long value) {
        text.append('\t').append(value);
        return this;
    }

    public byte[] bytes() {
        return text.toString().concat("\n").getBytes(StandardCharsets.UTF_8);
    }

    /** The kind and the fields of a line, unescaped. What is no proper escape stays as it is. */
    public static String[] parse(String line) {
        List<String> fields = new ArrayList<>();
        int from = 0;
        for (int tab = line.indexOf('\t'); tab >= 0; tab = line.indexOf('\t', from)) {
            fields.add(unescape(line.substring(from, tab)));
            from = tab + 1;
        }
        fields.add(unescape(line.substring(from)));
        return fields.toArray(new String[0]);
    }

    private static String unescape(String field) {
        if (field.indexOf('%') < 0) {
            return field;
        }
        byte[] escaped = field.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream plain = new ByteArrayOutputStream(escaped.length);
        for (int i = 0; i < escaped.length; i++) {
            int value = escaped[i] == '%' && i + 2 < escaped.length ? hexadecimal(escaped[i + 1], escaped[i + 2]) : -1;
            plain.write(value < 0 ? escaped[i] : value);
            i += value < 0 ? 0 : 2;
        }
        return new String(plain.toByteArray(), StandardCharsets.UTF_8);
    }

    private static int hexadecimal(byte high, byte low) {
        int left = Character.digit((char) high, 16);
        int right = Character.digit((char) low, 16);
        return left < 0 || right < 0 ? -1 : left << 4 | right;
    }

    private void escape(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c == 0x7f || c == '%') {
                text.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            } else {
                text.append(c);
            }
        }
    }
}
