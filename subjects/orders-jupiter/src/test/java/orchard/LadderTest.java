package orchard;

import static org.junit.Assert.assertNotNull;

import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** For Vintage: names that hold hash codes. */
@RunWith(Parameterized.class)
public class LadderTest {
    private final Object rung;

    public LadderTest(Object rung) {
        this.rung = rung;
    }

    @Parameters(name = "{0}")
    public static List<Object> rungs() {
        return Arrays.asList(new Object(), new Object());
    }

    @Test
    public void bears() {
        assertNotNull(rung);
    }

    @Test
    public void creaks() {
        assertNotNull(rung);
    }
}
