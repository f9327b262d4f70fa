package garden;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OtherTest {
    @Test
    public void waters() {
        assertEquals(5, new Bed(5).water(1));
    }
}
