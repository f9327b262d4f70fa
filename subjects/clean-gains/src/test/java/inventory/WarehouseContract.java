package inventory;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** What every warehouse promises; the concrete classes name the town. */
public abstract class WarehouseContract {
    private final Warehouse warehouse = new Warehouse(town());

    private String town() {
        return getClass().getSimpleName().replace("Test", "");
    }

    @Test
    public void knowsItsTown() throws InterruptedException {
        assertEquals(town(), warehouse.town());
    }

    @Test
    public void startsEmpty() throws InterruptedException {
        assertEquals(0, warehouse.add(0));
    }

    @Test
    public void countsWhatIsAdded() throws InterruptedException {
        assertEquals(3, warehouse.add(3));
    }

    @Test
    public void countsWhatIsTakenAway() throws InterruptedException {
        assertEquals(-2, warehouse.add(-2));
    }
}
