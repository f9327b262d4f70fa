package theatre;

import org.junit.BeforeClass;
import org.junit.Test;

public class ComedyTest {
    @BeforeClass
    public static void setScenery() throws InterruptedException {
        Stage.setScenery();
    }

    @Test
    public void beginsWithAPrologue() {
    }

    @Test
    public void endsWithABow() {
    }
}
