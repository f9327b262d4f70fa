package jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterizedNumbersTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void isPositive(int number) {
        assertTrue(number > 0);
    }

    /** The same display name for every row. */
    @ParameterizedTest(name = "square")
    @CsvSource({"2, 4", "3, 9"})
    void square(int number, int square) {
        assertEquals(square, number * number);
    }
}
