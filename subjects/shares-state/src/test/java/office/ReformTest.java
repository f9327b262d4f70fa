package office;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ReformTest {
    @Test
    public void raisesTheTax() {
        System.setProperty("office.tax", "25");
        assertEquals("25", System.getProperty("office.tax"));
    }
}
