package parade.listen;

import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestResult;

/** Reports TestNG tests. Uses nothing that TestNG 5 does not have. */
public class TestNgListener implements ITestListener {
    final TestNgReport report;

    public TestNgListener() {
        this(new TestNgReport());
    }

    public TestNgListener(TestNgReport report) {
        this.report = report;
    }

    @Override
    public void onStart(ITestContext context) {
        report.plan(context);
    }

    @Override
    public void onFinish(ITestContext context) {}

    @Override
    public void onTestStart(ITestResult result) {
        report.started(result);
    }

    @Override
    public void onTestSuccess(ITestResult result) {
        report.ended(result, Outcome.passed);
    }

    @Override
    public void onTestFailure(ITestResult result) {
        report.ended(result, Outcome.of(result.getThrowable()));
    }

    @Override
    public void onTestSkipped(ITestResult result) {
        report.ended(result, Outcome.skipped);
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        report.ended(result, Outcome.passed);
    }
}
