package letters;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class EveningPostTest {
    @Test
    public void greetsGustav() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Gustav"));
        assertEquals("Dear Gustav", Letter.opening());
    }

    @Test
    public void greetsHanna() throws InterruptedException {
        Turns.writeThenWait(() -> Letter.address("Hanna"));
        assertEquals("Dear Hanna", Letter.opening());
    }
}
