package ferry;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class FareTest {
    @DataProvider
    public Object[][] fares() {
        return new Object[][] {{1, 5}, {2, 10}, {3, 15}};
    }

    @DataProvider
    public Object[][] names() {
        return new Object[][] {{"child"}, {"adult"}};
    }

    @Test(dataProvider = "fares", groups = "prices")
    public void fare(int persons, int price) {
        assertEquals(persons * 5, price);
    }

    @Test(dataProvider = "names", groups = "names")
    public void fare(String name) {
        assertEquals(name.length(), 5);
    }

    @Test(invocationCount = 3)
    public void staysTheSame() {
        assertTrue(true);
    }

    @Test(enabled = false)
    public void isNotEvenLookedAt() {
        assertTrue(false);
    }
}
