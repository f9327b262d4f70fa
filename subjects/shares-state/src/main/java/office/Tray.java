package office;

import java.util.ArrayList;
import java.util.List;

/** A final field whose content changes. */
public final class Tray {
    private static final List<String> LETTERS = new ArrayList<>();

    private Tray() {}

    public static void put(String letter) {
        LETTERS.add(letter);
    }

    public static boolean has(String letter) {
        return LETTERS.contains(letter);
    }
}
