package parade.cover;

import java.util.SortedSet;

/** Lines as text, `3,7-9`. */
final class Ranges {
    private Ranges() {}

    static String text(SortedSet<Integer> lines) {
        StringBuilder text = new StringBuilder();
        int first = 0;
        int last = 0;
        for (int line : lines) {
            if (first != 0 && line == last + 1) {
                last = line;
                continue;
            }
            append(text, first, last);
            first = line;
            last = line;
        }
        append(text, first, last);
        return text.toString();
    }

    private static void append(StringBuilder text, int first, int last) {
        if (first == 0) {
            return;
        }
        text.append(text.length() == 0 ? "" : ",").append(first);
        if (last > first) {
            text.append('-').append(last);
        }
    }
}
