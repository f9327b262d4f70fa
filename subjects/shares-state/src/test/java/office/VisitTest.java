package office;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class VisitTest {
    @Test
    public void speaksFrench() {
        Language.set("French");
        assertEquals("French", Language.current());
    }
}
