package both;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OldTest {
    @Test
    public void one() {
        assertEquals(1, 2 - 1);
    }

    @Test
    public void two() {
        assertEquals(2, 1 + 1);
    }
}
