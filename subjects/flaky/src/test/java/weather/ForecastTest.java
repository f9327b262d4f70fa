package weather;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import org.junit.Test;

public class ForecastTest {
    @Test
    public void sunTomorrow() throws IOException {
        assertTrue("it rains", Coin.heads());
    }

    @Test
    public void twelveMonths() {
        assertEquals(12, java.time.Month.values().length);
    }
}
