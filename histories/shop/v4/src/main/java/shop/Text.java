package shop;

/** Nothing here remembers anything. */
public final class Text {
    private Text() {
    }

    public static String padded(String text) {
        return " ".concat(text).concat(" ");
    }

    public static String trimmed(String text) {
        return text.trim();
    }
}
