package parade;

import java.nio.charset.StandardCharsets;

/** One line of a protocol file: fields separated by tabs, percent-escaped, so that any text survives. */
public final class Line {
    private final StringBuilder text = new StringBuilder();

    public Line(String kind) {
        text.append(kind);
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
