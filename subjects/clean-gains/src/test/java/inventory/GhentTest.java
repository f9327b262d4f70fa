package inventory;

public class GhentTest extends WarehouseContract {
}
