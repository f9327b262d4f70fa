package bank;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Depends on nothing. */
public class InterestTest {
    @Test
    public void ofNothingIsNothing() {
        assertEquals(0, 0 * 3 / 100);
    }

    @Test
    public void ofAHundredIsThree() {
        assertEquals(3, 100 * 3 / 100);
    }
}
