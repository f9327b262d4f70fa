package forging;

import org.junit.Ignore;
import org.junit.Test;

public class NeverRunTest {
    @Ignore("it never runs")
    @Test
    public void neverRuns() {
        throw new AssertionError("it ran");
    }
}
