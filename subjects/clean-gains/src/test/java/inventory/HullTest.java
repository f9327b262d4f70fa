package inventory;

public class HullTest extends WarehouseContract {
}
