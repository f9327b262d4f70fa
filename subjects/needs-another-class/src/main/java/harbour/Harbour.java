package harbour;

/** Open or not, for everyone in the process. */
public final class Harbour {
    private static volatile boolean open;

    private Harbour() {
    }

    public static void open() {
        open = true;
    }

    public static boolean isOpen() {
        return open;
    }
}
