package device;

import org.junit.Test;

public class OneTest {
    @Test
    public void first() throws Exception {
        Device.work();
    }

    @Test
    public void second() throws Exception {
        Device.work();
    }

    @Test
    public void third() throws Exception {
        Device.work();
    }

    @Test
    public void fourth() throws Exception {
        Device.work();
    }
}
