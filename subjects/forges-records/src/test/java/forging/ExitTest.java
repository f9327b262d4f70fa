package forging;

import org.junit.Test;

/** Claims that everything passed, and ends the process as if nothing had happened. */
public class ExitTest {
    @Test
    public void claimsAllAndExits() throws Exception {
        if (Forging.tries("exit")) {
            Forging.append(Forging.everythingPassed());
            Runtime.getRuntime().halt(0);
        }
    }
}
