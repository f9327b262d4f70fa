package jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The declared order is not the alphabet's, and each step needs the one before. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OrderedStepsTest {
    private static int step;

    @Test
    @Order(1)
    void wakes() {
        assertEquals(1, ++step);
    }

    @Test
    @Order(2)
    void eats() {
        assertEquals(2, ++step);
    }

    @Test
    @Order(3)
    void leaves() {
        assertEquals(3, ++step);
    }
}
