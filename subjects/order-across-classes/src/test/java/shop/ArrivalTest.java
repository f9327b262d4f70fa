package shop;

import static org.junit.Assert.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** First in the alphabet: fills the catalogue that {@link SaleTest} reads. */
public class ArrivalTest {
    @Test
    public void bringsTea() throws InterruptedException {
        SaleTest.LOOKED.await(1, TimeUnit.SECONDS);
        Catalogue.put("tea", 4);
        assertEquals(4, Catalogue.price("tea"));
    }
}
