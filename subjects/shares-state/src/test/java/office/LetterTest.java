package office;

import static org.junit.Assert.assertTrue;

import java.io.IOException;

import org.junit.Test;

public class LetterTest {
    @Test
    public void keepsALetter() throws IOException {
        Archive.keep("letter");
        assertTrue(Archive.has("letter"));
    }
}
