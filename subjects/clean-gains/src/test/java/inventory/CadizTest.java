package inventory;

public class CadizTest extends WarehouseContract {
}
