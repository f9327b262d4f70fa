package railway;

import static org.testng.Assert.assertTrue;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** Two instances. */
public class CarriageTest {
    private final int seats;

    @Factory(dataProvider = "sizes")
    public CarriageTest(int seats) {
        this.seats = seats;
    }

    @DataProvider
    public static Object[][] sizes() {
        return new Object[][] {{40}, {60}};
    }

    @DataProvider
    public static Object[][] passengers() {
        return new Object[][] {{1}, {39}};
    }

    @Test
    public void couples() {
        assertTrue(seats > 0);
    }

    @Test(dataProvider = "passengers")
    public void seats(int passengers) {
        assertTrue(passengers < seats);
    }
}
