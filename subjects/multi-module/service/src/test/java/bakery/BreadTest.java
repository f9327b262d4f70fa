package bakery;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BreadTest {
    @Test
    public void twoKilosMakeALoaf() {
        assertEquals(20, Bread.loaves(1));
    }

    @Test
    public void manySacks() {
        assertEquals(200, Bread.loaves(10));
    }

    @Test
    public void noSack() {
        assertEquals(0, Bread.loaves(0));
    }
}
