package orchard;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All kinds of tests below one fixture. */
class TreeTest {
    private static boolean planted;

    @BeforeAll
    static void plant() {
        planted = true;
    }

    @AfterAll
    static void fell() {
        planted = false;
    }

    @Test
    void grows() {
        assertTrue(planted);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void bears(int apples) {
        assertTrue(planted && apples > 0);
    }

    @RepeatedTest(2)
    void rustles() {
        assertTrue(planted);
    }

    @Disabled("it is winter")
    @Test
    void blossoms() {
        assertTrue(planted);
    }

    @TestFactory
    List<DynamicNode> branches() {
        return Arrays.asList(
            DynamicTest.dynamicTest("low", () -> assertTrue(planted)),
            DynamicContainer.dynamicContainer("high", Arrays.asList(
                DynamicTest.dynamicTest("left", () -> assertTrue(planted)),
                DynamicTest.dynamicTest("right", () -> assertTrue(planted)))));
    }

    @Nested
    class Roots {
        @Test
        void drink() {
            assertTrue(planted);
        }

        @Test
        void hold() {
            assertTrue(planted);
        }
    }
}
