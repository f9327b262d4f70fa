package harbour;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BuoyTest {
    @Test
    public void floats() {
        assertEquals(1, Math.max(0, 1));
    }
}
