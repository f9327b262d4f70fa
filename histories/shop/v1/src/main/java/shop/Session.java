package shop;

/** Who is shopping. */
public final class Session {
    private static String user = "guest";

    private Session() {
    }

    public static String user() {
        return user;
    }

    public static void login(String name) {
        String cleaned = cleaned(name);
        if (known(cleaned)) {
            user = cleaned;
        }
    }

    public static String greeting() {
        StringBuilder text = new StringBuilder();
        text.append(opening());
        text.append(pause());
        text.append(user());
        text.append(ending());
        String whole = text.toString();
        int length = whole.length();
        if (length == 0) {
            return "?";
        }
        return whole;
    }

    private static String cleaned(String name) {
        return name.trim();
    }

    private static boolean known(String name) {
        return !name.isEmpty();
    }

    private static String opening() {
        String word = "Welcome";
        return word;
    }

    private static String pause() {
        String mark = ", ";
        return mark;
    }

    private static String ending() {
        String mark = "!";
        return mark;
    }
}
