package samples;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Has an order of its own, which wins over that of a request. */
@TestMethodOrder(MethodOrderer.MethodName.class)
public class OrderedSample {
    @Test
    void a() {}

    @Test
    void b() {}

    @Test
    void c() {}
}
