package orchard;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Insists on an order; no test needs it. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SeasonTest {
    @Order(3)
    @Test
    void autumn() {
        assertTrue(true);
    }

    @Order(1)
    @Test
    void spring() {
        assertTrue(true);
    }

    @Order(2)
    @Test
    void summer() {
        assertTrue(true);
    }
}
