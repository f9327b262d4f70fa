package office;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

import org.junit.BeforeClass;
import org.junit.Test;

/** Reads only what it wrote itself, and what was set up for its class. */
public class DraftTest {
    private static String text;

    @BeforeClass
    public static void think() {
        text = "To whom it may concern";
    }

    @Test
    public void isKept() throws IOException {
        Path draft = Paths.get("target/draft");
        Files.write(draft, text.getBytes(StandardCharsets.UTF_8));
        assertEquals(text, new String(Files.readAllBytes(draft), StandardCharsets.UTF_8));
    }

    @Test
    public void isPolite() {
        assertEquals("To whom", text.substring(0, 7));
    }
}
