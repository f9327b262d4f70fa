package workshop;

import static org.junit.Assert.assertTrue;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** Insists on the order of its names; no test needs it. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class FixedOrderTest {
    @Test
    public void first() {
        assertTrue(true);
    }

    @Test
    public void second() {
        assertTrue(true);
    }

    @Test
    public void third() {
        assertTrue(true);
    }
}
