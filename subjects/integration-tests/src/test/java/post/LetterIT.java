package post;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** Failsafe runs this one, on the packaged classes. */
public class LetterIT {
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

    @Test
    public void isPackaged() {
        String place = Letter.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        assertTrue(place, place.endsWith(".jar"));
    }
}
