package shop;

/** Nothing here remembers anything. */
public final class Text {
    private Text() {
    }

    public static String padded(String text) {
        return " " + text + " ";
    }

    public static String trimmed(String text) {
        return text.trim();
    }

    public static String old(String text) {
        return text + " (old)";
    }
}
