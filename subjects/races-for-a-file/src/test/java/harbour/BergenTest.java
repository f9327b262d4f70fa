package harbour;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BergenTest {
    @Test
    public void entersItsShip() throws Exception {
        assertEquals("Bea", Berth.enter("Bea"));
    }
}
