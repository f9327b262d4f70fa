package pantry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Steps of one story on one instance. JUnit makes the instance anew whenever the class is entered. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class JarTest {
    private int plums;

    @Order(1)
    @Test
    void isFilled() {
        plums = 5;
        assertEquals(5, plums);
    }

    @Order(2)
    @Test
    void isOpened() {
        plums--;
        assertEquals(4, plums);
    }

    @Order(3)
    @Test
    void isSharedOut() {
        plums -= 2;
        assertEquals(2, plums);
    }
}
