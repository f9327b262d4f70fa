package inventory;

/** A warehouse that answers slowly, as a remote service would, and shares nothing with any other. */
public final class Warehouse {
    private static final long ANSWER_MILLIS = 200;

    private final String town;
    private int items;

    public Warehouse(String town) {
        this.town = town;
    }

    public String town() throws InterruptedException {
        Thread.sleep(ANSWER_MILLIS);
        return town;
    }

    public int add(int count) throws InterruptedException {
        Thread.sleep(ANSWER_MILLIS);
        items += count;
        return items;
    }
}
