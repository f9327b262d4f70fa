package office;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PartyTest {
    @Test
    public void isMerry() {
        System.setProperty("office.mood", "merry");
        assertEquals("merry", System.getProperty("office.mood"));
    }
}
