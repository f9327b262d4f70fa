package letters;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class FriendsTest {
    @Test
    public void greetsAda() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Ada"));
        assertEquals("Dear Ada", Letter.opening());
    }

    @Test
    public void greetsBarbara() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Barbara"));
        assertEquals("Dear Barbara", Letter.opening());
    }
}
