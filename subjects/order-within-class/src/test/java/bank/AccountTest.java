package bank;

import static org.junit.Assert.assertEquals;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** Each test goes on from where the one before it stopped. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class AccountTest {
    /** Counted down by the tests that need the account; in sequence nobody does so before it is open. */
    private static final CountDownLatch HASTY = new CountDownLatch(2);

    @Test
    public void a_opensTheAccount() throws InterruptedException {
        HASTY.await(1, TimeUnit.SECONDS);
        Account.open();
        assertEquals(0, Account.current().deposit(0));
    }

    @Test
    public void b_depositsTen() {
        assertEquals(10, deposit(10));
    }

    @Test
    public void c_depositsFiveMore() {
        assertEquals(15, deposit(5));
    }

    private static int deposit(int amount) {
        try {
            return Account.current().deposit(amount);
        } finally {
            HASTY.countDown();
        }
    }
}
