package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.MethodName.class)
class TextTest {
    @Test
    void pads() {
        assertEquals(" x ", Text.padded("x"));
    }

    @Test
    void trims() {
        assertEquals("x", Text.trimmed(" x "));
    }

    /** Gone in the fourth version. */
    @Test
    void z_old() {
        assertEquals("x (old)", Text.old("x"));
    }
}
