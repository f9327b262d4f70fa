package samples;

import org.junit.Test;

public class Hanging4 {
    @Test
    public void hangs() throws InterruptedException {
        Thread.sleep(600_000);
    }
}
