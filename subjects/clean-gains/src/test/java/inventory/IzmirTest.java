package inventory;

public class IzmirTest extends WarehouseContract {
}
