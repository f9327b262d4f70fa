package samples;

import org.junit.BeforeClass;
import org.junit.Test;

public class BrokenFixture4 {
    @BeforeClass
    public static void setUp() {
        throw new IllegalStateException("no");
    }

    @Test
    public void a() {}

    @Test
    public void b() {}
}
