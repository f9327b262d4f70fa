package inventory;

public class EvoraTest extends WarehouseContract {
}
