package mixed;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class TestNGSideTest {
    @Test
    public void one() {
        assertEquals(2 - 1, 1);
    }

    @Test
    public void two() {
        assertEquals(1 + 1, 2);
    }

    @Test
    public void three() {
        assertEquals(1 + 2, 3);
    }
}
