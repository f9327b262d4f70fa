package water;

import org.junit.Test;

public class SpringTest {
    @Test
    public void driesUp() {
        System.exit(0);
    }
}
