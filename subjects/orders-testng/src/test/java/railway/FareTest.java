package railway;

import static org.testng.Assert.assertTrue;

import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Rows, priorities, and a fixture around all of it. */
public class FareTest {
    private boolean open;

    @BeforeClass
    public void open() {
        open = true;
    }

    @AfterClass
    public void close() {
        open = false;
    }

    @DataProvider
    public static Object[][] zones() {
        return new Object[][] {{1}, {2}, {3}};
    }

    @Test(dataProvider = "zones")
    public void price(int zone) {
        assertTrue(open && zone > 0);
    }

    @Test(priority = 2)
    public void refund() {
        assertTrue(open);
    }

    @Test(priority = 1)
    public void print() {
        assertTrue(open);
    }
}
