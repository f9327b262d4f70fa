package ruin;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class WallTest {
    @Test
    public void isHigh() {
        assertEquals(3, Wall.width());
    }
}
