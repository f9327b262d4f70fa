package post;

/** Writes letters, and keeps the addressee in a static field: two letters at once get mixed up. */
public final class Letter {
    private static volatile String addressee;

    private Letter() {
    }

    public static void address(String name) {
        addressee = name;
    }

    public static String opening() {
        return "Dear " + addressee;
    }
}
