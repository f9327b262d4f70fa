package pantry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** One instance for all tests, and no order that matters. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListTest {
    private List<String> wanted;

    @BeforeAll
    void write() {
        wanted = new ArrayList<>();
        wanted.add("plums");
    }

    @Test
    void namesPlums() {
        assertEquals("plums", wanted.get(0));
    }

    @Test
    void isShort() {
        assertEquals(1, wanted.size());
    }
}
