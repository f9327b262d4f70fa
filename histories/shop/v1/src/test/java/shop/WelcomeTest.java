package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class WelcomeTest {
    /** Passes only after SessionTest's b_logs_in. */
    @Test
    void greets() {
        assertEquals("Welcome, ann!", Session.greeting());
    }
}
