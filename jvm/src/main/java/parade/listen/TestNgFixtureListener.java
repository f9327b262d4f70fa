package parade.listen;

import org.testng.IConfigurationListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;

/** Also reports failing fixtures, which TestNG tells from version 6.8 on. */
public class TestNgFixtureListener extends TestNgListener implements IConfigurationListener {
    public TestNgFixtureListener() {}

    public TestNgFixtureListener(TestNgReport report) {
        super(report);
    }

    @Override
    public void onConfigurationFailure(ITestResult result) {
        report.fixtureFailed(result);
    }

    @Override
    public void onConfigurationSuccess(ITestResult result) {
        ITestNGMethod fixture = result.getMethod();
        boolean afterTest = fixture.isAfterMethodConfiguration();
        if (afterTest || fixture.isAfterClassConfiguration() || fixture.isAfterTestConfiguration()) {
            EventLog.get().settle();
        }
    }

    @Override
    public void onConfigurationSkip(ITestResult result) {}
}
