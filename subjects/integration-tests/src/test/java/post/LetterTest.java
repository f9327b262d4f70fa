package post;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class LetterTest {
    @Test
    public void greetsAda() {
        Letter.address("Ada");
        assertEquals("Dear Ada", Letter.opening());
    }
}
