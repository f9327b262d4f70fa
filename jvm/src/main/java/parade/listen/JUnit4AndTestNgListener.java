package parade.listen;

import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestResult;

/** For modules whose Surefire runs both frameworks: each gets the same list of listeners and wants them all its own. */
public final class JUnit4AndTestNgListener extends JUnit4Listener implements ITestListener {
    private final TestNgListener testNg = new TestNgListener();

    @Override
    public void onStart(ITestContext context) {
        testNg.onStart(context);
    }

    @Override
    public void onFinish(ITestContext context) {
        testNg.onFinish(context);
    }

    @Override
    public void onTestStart(ITestResult result) {
        testNg.onTestStart(result);
    }

    @Override
    public void onTestSuccess(ITestResult result) {
        testNg.onTestSuccess(result);
    }

    @Override
    public void onTestFailure(ITestResult result) {
        testNg.onTestFailure(result);
    }

    @Override
    public void onTestSkipped(ITestResult result) {
        testNg.onTestSkipped(result);
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        testNg.onTestFailedButWithinSuccessPercentage(result);
    }
}
