package parade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LineTest {
    private static Line line() {
        return new Line(() -> "K");
    }

    @Test
    void controlCharactersAndPercentSignsAreEscaped() {
        assertEquals("K\ta%09b%0a%00%25%7f%1f é\t-5", Protocol.text(line().field("a\tb\n\0%\u007f\u001f é").field(-5)));
    }

    @Test
    void nothingIsAnEmptyField() {
        assertEquals("K\t\t", Protocol.text(line().field(null).field("")));
    }

    @Test
    void aFieldIsCutBeforeItIsEscaped() {
        assertEquals("K\t%25%25", Protocol.text(line().field("%%%%", 2)));
        assertEquals("K\tab", Protocol.text(line().field("ab", 2)));
    }

    @Test
    void anyCharacterSurvives() {
        StringBuilder all = new StringBuilder();
        for (int c = 0; c < 0x500; c++) {
            all.append((char) c);
        }
        String text = all.append("\ud83d\ude00").toString();
        assertArrayEquals(new String[] {"K", text, "x"}, Line.parse(Protocol.text(line().field(text).field("x"))));
    }

    @Test
    void whatIsNoProperEscapeStaysAsItIs() {
        assertArrayEquals(new String[] {"%+9", "%zz", "%", "%4", "100%", "\né"}, Line.parse("%+9\t%zz\t%\t%4\t100%\t%0A%c3%A9"));
    }
}
