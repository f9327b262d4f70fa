package samples;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class JupiterSample {
    public static int setUps;

    @BeforeAll
    static void setUp() {
        setUps++;
    }

    @Test
    void a() {}

    @Test
    void b() {
        assertTrue(false);
    }

    @Disabled("not today")
    @Test
    void c() {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void p(int number) {
        assertTrue(number != 2);
    }

    @TestFactory
    Stream<DynamicTest> f() {
        return Stream.of("x", "y").map(name -> DynamicTest.dynamicTest(name, () -> { }));
    }

    @Nested
    class Inner {
        @Test
        void n() {}
    }
}
