package office;

import static org.junit.Assert.assertFalse;

import org.junit.Test;

/** Fails after {@link LetterTest#keepsALetter()}. */
public class ArchiveTest {
    @Test
    public void isEmpty() {
        assertFalse(Archive.has("letter"));
    }
}
