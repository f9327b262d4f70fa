package letters;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class MorningPostTest {
    @Test
    public void greetsEmil() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Emil"));
        assertEquals("Dear Emil", Letter.opening());
    }

    @Test
    public void greetsFrida() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Frida"));
        assertEquals("Dear Frida", Letter.opening());
    }
}
