package shop;

import static org.junit.Assert.assertEquals;

import java.util.concurrent.CountDownLatch;
import org.junit.Test;

/** Relies on what {@link ArrivalTest} left behind. */
public class SaleTest {
    /** Tells {@link ArrivalTest} that the catalogue has been looked at; in sequence nobody waits for it for long. */
    static final CountDownLatch LOOKED = new CountDownLatch(1);

    @Test
    public void sellsTea() {
        try {
            assertEquals(4, Catalogue.price("tea"));
        } finally {
            LOOKED.countDown();
        }
    }

    @Test
    public void sellsCoffee() {
        Catalogue.put("coffee", 6);
        assertEquals(6, Catalogue.price("coffee"));
    }
}
