package forging;

import org.junit.Test;

public class HonestTest {
    @Test
    public void passes() {}

    @Test
    public void passesToo() {}
}
