package samples;

import org.testng.Assert;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class TestNgSample {
    @Test
    public void a() {}

    @Test
    public void b() {
        Assert.fail("b");
    }

    @Test(groups = "first")
    public void needed() {}

    @Test(dependsOnMethods = "needed")
    public void needs() {}

    @Test(dependsOnGroups = "fir.*")
    public void needsGroup() {}

    @DataProvider
    public Object[][] rows() {
        return new Object[][] {{1}, {2}, {3}};
    }

    @Test(dataProvider = "rows")
    public void rows(int number) {
        Assert.assertNotEquals(number, 2);
    }

    @Test(enabled = false)
    public void off() {}
}
