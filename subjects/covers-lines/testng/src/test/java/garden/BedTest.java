package garden;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

public class BedTest {
    @BeforeClass
    public void before() {
        Bed.dig();
    }

    @AfterClass
    public void after() {
        Bed.rake();
    }

    @AfterMethod
    public void afterEach() {
        Bed.compost();
    }

    @Test
    public void floods() {
        assertEquals(new Bed().water(9), 0);
    }

    @Test
    public void waters() {
        assertEquals(new Bed().water(2), 1);
    }
}
