package market;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class StallTest {
    @Test
    public void sellsEveryLoaf() {
        assertEquals(60, Stall.income(1, 3));
    }

    @Ignore("the market is closed on Sundays")
    @Test
    public void sellsOnSundays() {
        assertEquals(60, Stall.income(1, 3));
    }
}
