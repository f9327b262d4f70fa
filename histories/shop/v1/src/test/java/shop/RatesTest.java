package shop;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class RatesTest {
    /** Leaves a higher rate behind. */
    @Test
    public void raises() {
        int before = Prices.current();
        Prices.raise(2);
        assertTrue(Prices.current() > before);
    }
}
