package parade.direct.testng;

import java.util.ArrayList;
import java.util.List;

import org.testng.ITestResult;

import parade.direct.core.Wanted;
import parade.listen.Outcome;
import parade.listen.TestCase;
import parade.listen.TestNgReport;

/** Finds the test of a pass that an execution answers. */
final class TestNgAnswers extends TestNgReport {
    private final List<Wanted> expected = new ArrayList<>();
    private boolean trouble;

    void expect(Wanted test) {
        expected.add(test);
    }

    /** Did something fail or get skipped that can keep tests from running? */
    boolean anyTrouble() {
        return trouble;
    }

    @Override
    protected synchronized TestCase identify(ITestResult result) {
        TestCase test = super.identify(result);
        Wanted answered = find(test, true);
        // TestNG runs all invocations of a method with an invocation count, also those that were not asked for.
        if (answered == null && result.getMethod().getInvocationCount() <= 1) {
            answered = find(test, false);
        }
        if (answered == null) {
            return test;
        }
        answered.settle();
        return new TestCase(test.className, test.name, answered.occurrence, test.display).answering(answered.number);
    }

    /** Where the rows of a test are not numbered, they come in the order in which they were asked for. */
    private Wanted find(TestCase test, boolean exact) {
        for (Wanted wanted : expected) {
            boolean same = wanted.className.equals(test.className) && wanted.name.equals(test.name);
            if (same && !wanted.isSettled() && (!exact || wanted.occurrence == test.occurrence)) {
                return wanted;
            }
        }
        return null;
    }

    @Override
    protected void ended(ITestResult result, Outcome outcome) {
        trouble |= outcome == Outcome.skipped;
        super.ended(result, outcome);
    }

    @Override
    protected void fixtureFailed(ITestResult result) {
        trouble = true;
        super.fixtureFailed(result);
    }
}
