package jupiter;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class DynamicShapesTest {
    @TestFactory
    Stream<DynamicTest> sides() {
        return Stream.of(3, 4, 5).map(sides -> dynamicTest(sides + " sides", () -> assertTrue(sides > 2)));
    }

    @TestFactory
    Stream<DynamicNode> families() {
        return Stream.of(
            dynamicTest("point", () -> assertTrue(true)),
            dynamicContainer("flat", Stream.of(
                dynamicTest("square", () -> assertTrue(true)),
                dynamicContainer("round", Stream.of(
                    dynamicTest("circle", () -> assertTrue(true)),
                    dynamicTest("ellipse", () -> assertTrue(true)))))));
    }
}
