package legacy;

import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Its parameter has no text of its own, so that the names of the tests hold a hash code that differs in every process. */
@RunWith(Parameterized.class)
public class MoneyTest {
    private final Money money;

    public MoneyTest(Money money) {
        this.money = money;
    }

    @Parameters(name = "{0}")
    public static List<Money> coins() {
        return Arrays.asList(new Money(1), new Money(2), new Money(5));
    }

    @Test
    public void exists() {
        assertNotNull(money);
    }

    @Test
    public void isWorthSomething() {
        assertTrue(money.cents > 0);
    }

    static final class Money {
        private final int cents;

        Money(int cents) {
            this.cents = cents;
        }
    }
}
