package office;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Fails after {@link VisitTest#speaksFrench()}. */
public class BriefingTest {
    @Test
    public void isInEnglish() {
        assertEquals("English", Language.current());
    }
}
