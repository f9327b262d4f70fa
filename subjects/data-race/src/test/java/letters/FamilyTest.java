package letters;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class FamilyTest {
    @Test
    public void greetsCecil() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Cecil"));
        assertEquals("Dear Cecil", Letter.opening());
    }

    @Test
    public void greetsDora() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Dora"));
        assertEquals("Dear Dora", Letter.opening());
    }
}
