package shop;

import java.util.HashMap;
import java.util.Map;

/** Goods and what they cost. Nothing is in it before it is loaded. */
public final class Catalog {
    private static final Map<String, Integer> GOODS = new HashMap<>();

    private Catalog() {
    }

    public static void load() {
        GOODS.put("rice", 2);
        GOODS.put("tea", 3);
    }

    public static int size() {
        return GOODS.size();
    }

    public static String find(String name) {
        Integer price = GOODS.get(name);
        if (price == null) {
            return "no " + name;
        }
        StringBuilder line = new StringBuilder();
        line.append(label(name));
        line.append(separator());
        line.append(amount(price));
        line.append(currency());
        return line.toString();
    }

    private static String label(String name) {
        String trimmed = name.trim();
        return trimmed;
    }

    private static String separator() {
        return ": ";
    }

    private static String amount(int price) {
        String digits = Integer.toString(price);
        return digits;
    }

    private static String currency() {
        return " coins";
    }
}
