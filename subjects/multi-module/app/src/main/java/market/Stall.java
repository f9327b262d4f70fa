package market;

import bakery.Bread;

public final class Stall {
    private Stall() {
    }

    public static int income(int sacks, int price) {
        return Bread.loaves(sacks) * price;
    }
}
