package letters;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PostTest {
    @Test
    public void greetsIda() {
        assertEquals("Dear Ida", "Dear ".concat("Ida"));
    }

    @Test
    public void greetsJohan() {
        assertEquals("Dear Johan", "Dear ".concat("Johan"));
    }
}
