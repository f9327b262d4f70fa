package office;

import static org.junit.Assert.assertNull;

import org.junit.Test;

/** Fails after {@link PartyTest#isMerry()}. */
public class MoodTest {
    @Test
    public void isPlain() {
        assertNull(System.getProperty("office.mood"));
    }
}
