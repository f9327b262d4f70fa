package ferry;

import static org.testng.Assert.assertEquals;

import org.testng.SkipException;
import org.testng.annotations.Test;

/** Declared backwards; the dependences put it right. */
public class CrossingTest {
    private int step;

    @Test(dependsOnMethods = "sails")
    public void lands() {
        assertEquals(++step, 3);
    }

    @Test(dependsOnMethods = "boards", groups = "sea")
    public void sails() {
        assertEquals(++step, 2);
    }

    @Test
    public void boards() {
        assertEquals(++step, 1);
    }

    @Test
    public void crossesTheIce() {
        throw new SkipException("only in winter");
    }
}
