package garden;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestMethodOrder(MethodOrderer.MethodName.class)
class BedTest {
    @BeforeAll
    static void before() {
        Bed.dig();
    }

    @AfterAll
    static void after() {
        Bed.rake();
    }

    @Disabled
    @Test
    void aNeglected() {
        new Bed().neglect();
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 2})
    void floodsOrNot(int litres) {
        assertEquals(litres > 3 ? 0 : 1, new Bed().water(litres));
    }

    @Test
    void grows() {
        assertEquals(6, new Bed(3).grow());
    }
}
