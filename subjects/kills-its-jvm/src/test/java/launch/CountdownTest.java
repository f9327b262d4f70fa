package launch;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CountdownTest {
    @Test
    public void endsAtZero() {
        assertEquals(0, 10 - 10);
    }
}
