package garden;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OtherTest {
    @Test
    void waters() {
        assertEquals(5, new Bed(5).water(1));
    }
}
