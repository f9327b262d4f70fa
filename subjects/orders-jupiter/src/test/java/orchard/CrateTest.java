package orchard;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole class once for each size. */
@ParameterizedClass
@ValueSource(ints = {10, 20})
class CrateTest {
    @Parameter
    int size;

    @Test
    void stacks() {
        assertTrue(size > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"apple", "pear"})
    void carries(String fruit) {
        assertTrue(fruit.length() < size);
    }
}
