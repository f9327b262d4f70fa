package museum;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class LabelTest {
    @Test
    public void encodes() {
        assertEquals("dmFzZQ==", Label.encode("vase"));
    }

    @Test
    public void runsOnAnEight() {
        assertTrue(System.getProperty("java.version").startsWith("1.8."));
    }
}
