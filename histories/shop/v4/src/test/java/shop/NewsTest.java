package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** New: what algorithms know is older. */
public class NewsTest {
    @Test
    public void prints() {
        assertEquals(" tea ", Text.padded("tea"));
    }
}
