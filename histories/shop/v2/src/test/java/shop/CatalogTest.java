package shop;

import static org.junit.Assert.assertEquals;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class CatalogTest {
    @Test
    public void a_loads() {
        Catalog.load();
        assertEquals(2, Catalog.size());
    }

    /** Passes only after a_loads. */
    @Test
    public void b_finds() {
        assertEquals("tea at 3 coins", Catalog.find("tea"));
    }
}
