package mill;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class GrainTest {
    @Test
    public void aSackGivesFortyKilos() {
        assertEquals(40, Grain.flour(1));
    }

    @Test
    public void noSackGivesNothing() {
        assertEquals(0, Grain.flour(0));
    }
}
