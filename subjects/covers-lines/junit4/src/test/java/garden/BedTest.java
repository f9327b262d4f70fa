package garden;

import static org.junit.Assert.assertEquals;

import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.FixMethodOrder;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class BedTest {
    @BeforeClass
    public static void before() {
        Bed.dig();
    }

    @AfterClass
    public static void after() {
        Bed.rake();
    }

    @Ignore
    @Test
    public void aNeglected() {
        new Bed().neglect();
    }

    @Test
    public void floods() {
        assertEquals(0, new Bed().water(9));
    }

    @Test
    public void grows() {
        assertEquals(6, new Bed(3).grow());
    }

    @Test
    public void waters() {
        assertEquals(1, new Bed().water(2));
    }
}
