package water;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RiverTest {
    @Test
    public void carriesWhatTheSpringGives() {
        assertEquals(1800, Spring.litres(60));
    }

    @Test
    public void standsStillAtFirst() {
        assertEquals(0, Spring.litres(0));
    }
}
