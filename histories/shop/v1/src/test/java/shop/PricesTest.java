package shop;

import static org.junit.Assert.assertEquals;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class PricesTest {
    /** Fails after RatesTest. */
    @Test
    public void a_quotes() {
        assertEquals(100, Prices.quote(100));
    }

    @Test
    public void b_rounds() {
        assertEquals(3, Prices.rounded(260));
    }
}
