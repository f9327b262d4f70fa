package overloads;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One name, five methods, eight tests; two of them show a hash code that differs in every process. */
class ShapeTest {
    static Stream<Object> things() {
        return Stream.of(new Object(), new Object());
    }

    @Test
    void draws() {
        assertTrue(true);
    }

    @Test
    void draws(TestInfo info) {
        assertNotNull(info);
    }

    @RepeatedTest(2)
    void draws(RepetitionInfo info) {
        assertNotNull(info);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void draws(int corners) {
        assertTrue(corners > 2);
    }

    @ParameterizedTest
    @MethodSource("things")
    void draws(Object thing) {
        assertNotNull(thing);
    }
}
