package workshop;

import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Two of its parameters look alike, and the third has a name that differs in every process. */
@RunWith(Parameterized.class)
public class ScrewTest {
    private final Object screw;

    public ScrewTest(Object screw) {
        this.screw = screw;
    }

    @Parameters(name = "{0}")
    public static List<Object> screws() {
        return Arrays.<Object>asList("steel", "steel", new Object());
    }

    @Test
    public void holds() {
        assertNotNull(screw);
    }

    @Test
    public void turns() {
        assertTrue(screw.hashCode() == screw.hashCode());
    }
}
