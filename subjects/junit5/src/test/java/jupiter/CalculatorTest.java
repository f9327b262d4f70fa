package jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

@DisplayName("A calculator")
class CalculatorTest {
    @Test
    void adds() {
        assertEquals(4, 2 + 2);
    }

    @Test
    void adds(TestInfo info) {
        assertTrue(info.getDisplayName().startsWith("adds"));
    }

    @Test
    @DisplayName("divides what can be divided")
    void divides() {
        assertEquals(2, 4 / 2);
    }

    @Test
    @Disabled("nobody knows the answer yet")
    void dividesByZero() {
        assertEquals(0, 1 / Integer.parseInt("0"));
    }

    @RepeatedTest(3)
    void staysTheSame(RepetitionInfo repetition) {
        assertTrue(repetition.getCurrentRepetition() <= 3);
    }

    @Nested
    @DisplayName("when it is off")
    class WhenOff {
        @Test
        void showsNothing() {
            assertEquals("", "".trim());
        }

        @Nested
        class AndBroken {
            @Test
            void showsNothing() {
                assertEquals("", "".trim());
            }
        }
    }
}
