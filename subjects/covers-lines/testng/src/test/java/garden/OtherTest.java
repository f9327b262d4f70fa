package garden;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class OtherTest {
    @Test
    public void waters() {
        assertEquals(new Bed(5).water(1), 5);
    }
}
