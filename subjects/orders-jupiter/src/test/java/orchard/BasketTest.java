package orchard;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** One instance for all of its tests, from one entry into the class to the exit. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BasketTest {
    private int filled;

    @BeforeAll
    void fill() {
        filled++;
    }

    @AfterAll
    void empty() {
        filled--;
    }

    @Test
    void holds() {
        assertTrue(filled == 1);
    }

    @Test
    void swings() {
        assertTrue(filled == 1);
    }
}
