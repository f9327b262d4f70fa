package samples;

import org.junit.AfterClass;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;

public class Plain4 {
    public static int setUps;

    @BeforeClass
    public static void setUp() {
        setUps++;
    }

    @AfterClass
    public static void tearDown() {}

    @Test
    public void a() {}

    @Test
    public void b() {
        throw new IllegalStateException("b");
    }

    @Test
    public void c() {
        Assume.assumeTrue(false);
    }

    @Ignore
    @Test
    public void d() {}
}
