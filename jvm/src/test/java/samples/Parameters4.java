package samples;

import java.util.Arrays;
import java.util.List;

import org.junit.Assert;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class Parameters4 {
    private final int number;

    public Parameters4(int number) {
        this.number = number;
    }

    @Parameterized.Parameters
    public static List<Object[]> parameters() {
        return Arrays.asList(new Object[] {1}, new Object[] {2});
    }

    @Test
    public void x() {
        Assert.assertEquals(1, number);
    }

    @Test
    public void y() {}
}
