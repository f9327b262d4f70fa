package office;

import static org.junit.Assert.assertTrue;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** The second one passes only after the first. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class PostTest {
    @Test
    public void arrives() {
        Tray.put("bill");
    }

    @Test
    public void isTaken() {
        assertTrue(Tray.has("bill"));
    }
}
