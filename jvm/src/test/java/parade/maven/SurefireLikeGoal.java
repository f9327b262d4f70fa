package parade.maven;

import java.io.File;
import java.util.Map;
import java.util.Properties;

/** Has the fields of Surefire's goal that the extension sets. */
class SurefireLikeGoal {
    boolean skipTests;
    boolean testFailureIgnore;
    boolean disableXmlReport = true;
    boolean printSummary;
    boolean failIfNoTests = true;
    boolean failIfNoSpecifiedTests = true;
    boolean useUnlimitedThreads;
    boolean perCoreThreadCount = true;
    boolean reuseForks = true;
    boolean reportTestTimestamp;
    int rerunFailingTestsCount = 3;
    int skipAfterFailureCount = 3;
    int forkedProcessTimeoutInSeconds = 60;
    int threadCount;
    int threadCountSuites;
    int threadCountClasses;
    int threadCountMethods;
    String forkCount = "1";
    String forkMode;
    String runOrder = "filesystem";
    String parallel;
    String test;
    String groups;
    String excludedGroups;
    String[] additionalClasspathElements = {"own.jar"};
    Map<String, String> environmentVariables;
    Properties properties;
    File workingDirectory;
}
