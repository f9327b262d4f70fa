package railway;

import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

/** What depends on another test is never run without it. */
public class JourneyTest {
    private boolean boarded;
    private boolean checked;

    @Test
    public void board() {
        boarded = true;
    }

    @Test(groups = "checks")
    public void check() {
        checked = true;
    }

    @Test(dependsOnMethods = "board")
    public void ride() {
        assertTrue(boarded);
    }

    @Test(dependsOnMethods = "ride", dependsOnGroups = "checks")
    public void arrive() {
        assertTrue(boarded && checked);
    }

    @Test
    public void readTimetable() {
        assertTrue(true);
    }
}
