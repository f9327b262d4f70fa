package inventory;

public class BergenTest extends WarehouseContract {
}
