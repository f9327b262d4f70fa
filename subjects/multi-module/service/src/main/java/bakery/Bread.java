package bakery;

import mill.Grain;

public final class Bread {
    private Bread() {
    }

    public static int loaves(int sacks) {
        return Grain.flour(sacks) / 2;
    }
}
