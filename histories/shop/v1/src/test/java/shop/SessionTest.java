package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.MethodName.class)
class SessionTest {
    /** Fails after b_logs_in. */
    @Test
    void a_guest() {
        assertEquals("guest", Session.user());
    }

    /** Stays logged in. */
    @Test
    void b_logs_in() {
        Session.login(" ann ");
        assertEquals("ann", Session.user());
    }
}
