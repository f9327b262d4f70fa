package inventory;

public class DelftTest extends WarehouseContract {
}
