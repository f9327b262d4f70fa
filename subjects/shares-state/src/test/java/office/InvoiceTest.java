package office;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Fails after {@link ReformTest#raisesTheTax()}, which does not touch the class that is at fault. */
public class InvoiceTest {
    @Test
    public void hasTheUsualTax() {
        assertEquals(19, Tax.PERCENT);
    }
}
