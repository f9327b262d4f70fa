package parade.maven;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/** Sets a configured test goal to the parallelism, the selection and the observation that parade asks for. */
final class Steering {
    /** By chance, by the last failures, by the last durations, by the clock. */
    private static final List<String> VARYING_ORDERS = Arrays.asList("random", "failedfirst", "balanced", "hourly");

    private final Settings settings;
    private final Fields goal;
    private final Frameworks frameworks;
    private final List<String> deviations = new ArrayList<>();

    Steering(Settings settings, Fields goal, Frameworks frameworks) {
        this.settings = settings;
        this.goal = goal;
        this.frameworks = frameworks;
    }

    List<String> deviations() {
        return deviations;
    }

    void skip() {
        if (!goal.set("skipTests", true)) {
            goal.set("skip", true);
        }
    }

    /** Makes the test processes report, and the build go on when tests fail. Nothing of this changes how tests run. */
    void observe(String events, int number) {
        goal.set("testFailureIgnore", true);
        Map<String, String> environment = new HashMap<>();
        Object declared = goal.get("environmentVariables");
        if (declared instanceof Map) {
            ((Map<?, ?>) declared).forEach((key, value) -> environment.put(String.valueOf(key), String.valueOf(value)));
        }
        environment.put("PARADE_EVENTS", events);
        environment.put("PARADE_GOAL", String.valueOf(number));
        environment.put("PARADE_BACKGROUND", "1");
        // Maven's start script leaves its arguments here, and with them how many modules are built at once.
        environment.put("MAVEN_CMD_LINE_ARGS", "");
        // parade sets it for this Maven, not for those that tests start. Empty is as good as not set.
        environment.put("MAVEN_BASEDIR", "");
        goal.set("environmentVariables", environment);
        if (runsInMaven()) {
            System.setProperty("PARADE_EVENTS", events);
            System.setProperty("PARADE_GOAL", String.valueOf(number));
        }

        List<String> elements = goal.getList("additionalClasspathElements");
        elements.add(settings.listeners());
        goal.set("additionalClasspathElements", elements);
        addListener();
        // The other record of the run.
        goal.set("disableXmlReport", false);
        goal.set("printSummary", true);
        if (frameworks.runs("surefire-junit3")) {
            goal.set("reportTestTimestamp", true);
        }
    }

    /** Then there is no process to give an environment to: the project's own doing, as parade always forks. */
    private boolean runsInMaven() {
        return text(goal.get("forkCount")).equals("0") || text(goal.get("forkMode")).equals("never");
    }

    void select(String tests) {
        goal.set("test", tests);
        goal.set("failIfNoSpecifiedTests", false);
    }

    void parallelize() {
        goal.set("rerunFailingTestsCount", 0);
        goal.set("skipAfterFailureCount", 0);
        goal.set("failIfNoTests", false);
        goal.set("forkedProcessTimeoutInSeconds", 0);
        override("forkCount", settings.forks(), "1");
        isolate();
        order();
        override("useUnlimitedThreads", false, false);
        for (String pools : new String[] {"threadCountSuites", "threadCountClasses", "threadCountMethods"}) {
            override(pools, 0, 0);
        }
        boolean threaded = isThreaded();
        boolean testNg = frameworks.runs("surefire-testng");
        override("parallel", threaded ? settings.mode() : testNg ? "none" : null, null);
        override("threadCount", threaded ? threads(testNg) : testNg ? 1 : 0, 0);
        goal.set("perCoreThreadCount", threaded && !testNg && settings.threadsPerCore());
        setProperties(testNg && !threaded);
    }

    /** Surefire multiplies by the cores for JUnit only. */
    private int threads(boolean testNg) {
        return testNg ? settings.threadsInAll() : settings.threads();
    }

    /** A process for every class is isolation that tests may need, and no parallelism: a project that wants it keeps it. */
    private void isolate() {
        if (settings.reuseForks() && Boolean.FALSE.equals(goal.get("reuseForks"))) {
            deviations.add("the project sets reuseForks=false; kept, so that every test class has a process of its own");
        } else {
            override("reuseForks", settings.reuseForks(), true);
        }
        // Where it exists, Surefire translates it into the two others when it runs.
        if (goal.get("forkMode") != null) {
            override("forkMode", "once", "once");
        }
    }

    /** An order that changes from run to run makes every comparison one of orders too. */
    private void order() {
        String declared = text(goal.get("runOrder")).toLowerCase(Locale.ROOT);
        if (VARYING_ORDERS.stream().anyMatch(declared::contains)) {
            override("runOrder", "filesystem", "filesystem");
        }
    }

    /** Does Surefire's own `parallel` reach the framework in this mode? The JUnit Platform has settings of its own. */
    private boolean isThreaded() {
        if (settings.mode().equals("sequential")) {
            return false;
        }
        if (frameworks.runs("surefire-testng")) {
            return !settings.mode().equals("classesAndMethods");
        }
        return frameworks.runsJUnit4() && frameworks.isJUnit47();
    }

    private void setProperties(boolean testNgSequential) {
        Properties properties = properties();
        properties.remove("parallel");
        properties.remove("threadcount");
        if (testNgSequential) {
            properties.setProperty("dataproviderthreadcount", "1");
        }
        if (frameworks.runs("surefire-junit-platform")) {
            String declared = properties.getProperty("configurationParameters", "");
            noteDeclared(declared);
            properties.setProperty("configurationParameters", declared + "\n" + PlatformParallelism.of(settings));
        }
        goal.set("properties", properties);
    }

    private void noteDeclared(String parameters) {
        if (parameters.matches("(?s).*execution\\.parallel\\.enabled\\s*[=:]\\s*true.*")) {
            deviations.add("the project runs the JUnit Platform in parallel; overridden");
        }
    }

    private void addListener() {
        String listener = listener();
        if (listener != null) {
            Properties properties = properties();
            String declared = properties.getProperty("listener", "").trim();
            properties.setProperty("listener", declared.isEmpty() ? listener : declared + "," + listener);
            goal.set("properties", properties);
        }
    }

    /** Null on the JUnit Platform, which finds its listener itself, and for JUnit 3 alone, which has none. */
    private String listener() {
        boolean testNg = frameworks.runs("surefire-testng");
        if (testNg && frameworks.runsJUnit4()) {
            return "parade.listen.JUnit4AndTestNgListener";
        }
        if (testNg) {
            return frameworks.isAtLeast("testng", "6.8") ? "parade.listen.TestNgFixtureListener" : "parade.listen.TestNgListener";
        }
        return frameworks.runsJUnit4() ? "parade.listen.JUnit4Listener" : null;
    }

    private Properties properties() {
        Properties properties = new Properties();
        Object declared = goal.get("properties");
        if (declared instanceof Properties) {
            properties.putAll((Properties) declared);
        }
        return properties;
    }

    /** What the project pins to anything but the default, and parade sets otherwise, is said. */
    private void override(String field, Object value, Object byDefault) {
        Object pinned = goal.get(field);
        if (!goal.set(field, value)) {
            if (!text(value).equals(text(byDefault))) {
                deviations.add("this version of Surefire has no " + field + ", so it cannot be set to " + value);
            }
            return;
        }
        if (!Objects.equals(text(pinned), text(byDefault)) && !Objects.equals(text(pinned), text(value))) {
            deviations.add("the project sets " + field + "=" + pinned + "; overridden");
        }
    }

    private static String text(Object value) {
        return value == null ? "" : value.toString();
    }
}
