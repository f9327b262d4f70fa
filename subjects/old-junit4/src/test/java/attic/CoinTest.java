package attic;

import static org.junit.Assert.assertNotNull;

import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

@RunWith(Parameterized.class)
public class CoinTest {
    private final Object coin;

    public CoinTest(Object coin) {
        this.coin = coin;
    }

    @Parameters
    public static Collection<Object[]> coins() {
        return Arrays.asList(new Object[] {1}, new Object[] {2});
    }

    @Test
    public void rolls() {
        assertNotNull(coin);
    }

    @Test
    public void shines() {
        assertNotNull(coin);
    }
}
