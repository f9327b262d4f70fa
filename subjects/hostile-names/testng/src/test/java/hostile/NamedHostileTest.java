package hostile;

import static org.testng.Assert.assertFalse;

import org.testng.ITest;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** One instance for each name, which it gives as its own. */
public class NamedHostileTest implements ITest {
    private final String name;

    @Factory(dataProvider = "names")
    public NamedHostileTest(String name) {
        this.name = name;
    }

    @DataProvider
    public static Object[] names() {
        return Names.HOSTILE;
    }

    @Override
    public String getTestName() {
        return name;
    }

    @Test
    public void hasAName() {
        assertFalse(name.isEmpty());
    }
}
