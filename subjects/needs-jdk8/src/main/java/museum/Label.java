package museum;

import java.nio.charset.StandardCharsets;

import sun.misc.BASE64Encoder;

/** Encodes with the JDK's own class, which nobody was meant to use, and which is gone since 9. */
public final class Label {
    private Label() {
    }

    public static String encode(String text) {
        return new BASE64Encoder().encode(text.getBytes(StandardCharsets.UTF_8));
    }
}
