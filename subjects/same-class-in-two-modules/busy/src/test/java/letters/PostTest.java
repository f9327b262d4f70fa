package letters;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PostTest {
    @Test
    public void greetsIda() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Ida"));
        assertEquals("Dear Ida", Letter.opening());
    }

    @Test
    public void greetsJohan() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Johan"));
        assertEquals("Dear Johan", Letter.opening());
    }
}
