package shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Prices, known to the whole process. */
public final class Catalogue {
    private static final Map<String, Integer> PRICES = new ConcurrentHashMap<>();

    private Catalogue() {
    }

    public static void put(String article, int price) {
        PRICES.put(article, price);
    }

    public static int price(String article) {
        Integer price = PRICES.get(article);
        if (price == null) {
            throw new IllegalStateException("no price for " + article);
        }
        return price;
    }
}
