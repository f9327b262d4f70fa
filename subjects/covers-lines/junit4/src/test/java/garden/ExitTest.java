package garden;

import static org.junit.Assert.assertTrue;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** The first ends the process if it comes second. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class ExitTest {
    private static boolean open;

    @Test
    public void leaves() {
        if (open) {
            Bed.leave();
        }
    }

    @Test
    public void opens() {
        open = true;
        assertTrue(new Bed(3).water(1) == 3);
    }
}
