package both;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NewTest {
    @Test
    void one() {
        assertEquals(1, 2 - 1);
    }

    @Test
    void two() {
        assertEquals(2, 1 + 1);
    }

    @Test
    void three() {
        assertEquals(3, 1 + 2);
    }
}
