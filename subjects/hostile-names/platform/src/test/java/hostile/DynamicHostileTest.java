package hostile;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("<b>bold</b> & \"quoted\"")
class DynamicHostileTest {
    @TestFactory
    Stream<DynamicTest> names() {
        return Arrays.stream(Names.HOSTILE)
            .map(name -> dynamicTest(name.trim().isEmpty() ? "_" : name, () -> assertFalse(name.isEmpty())));
    }

    @Test
    @DisplayName("'; DROP TABLE tests; -- $(reboot) `reboot`")
    void droppingTables() {
        assertFalse(false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1] one, two", "new\nline", "{0}"})
    void parameters(String text) {
        assertFalse(text.isEmpty());
    }

    @Test
    @DisplayName("fails with <script>alert('x')</script>")
    void failsWithMarkup() {
        fail("</pre><script>alert('x')</script>\n%s ]]>\n");
    }
}
