package inventory;

public class FaroTest extends WarehouseContract {
}
