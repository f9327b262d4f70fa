package office;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Shares nothing. */
public class SumTest {
    @Test
    public void adds() {
        assertEquals(4, 2 + 2);
    }
}
