package harbour;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AalborgTest {
    @Test
    public void entersItsShip() throws Exception {
        assertEquals("Ada", Berth.enter("Ada"));
    }
}
