package office;

/** A static field that anyone can set. */
public final class Language {
    private static String current = "English";

    private Language() {}

    public static String current() {
        return current;
    }

    public static void set(String language) {
        current = language;
    }
}
