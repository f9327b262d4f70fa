package parade.maven;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells parade how many tests Surefire counted. Surefire writes its counts to a logger in Maven's own process, which no test
 * process can write to, and the output of tests does not go through that logger.
 */
final class SurefireCounts implements InvocationHandler {
    private static final Pattern SUMMARY = Pattern.compile(
        "Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+)(?:, Flakes: (\\d+))?\\s*");

    private final Object logger;
    private final int number;
    private final Handshake handshake;

    private SurefireCounts(Object logger, int number, Handshake handshake) {
        this.logger = logger;
        this.number = number;
        this.handshake = handshake;
    }

    /** Old versions of Surefire have no such logger, and then nothing is told. */
    static void follow(Fields goal, int number, Handshake handshake) {
        Class<?> type = goal.type("logger");
        Object logger = goal.get("logger");
        if (type != null && type.isInterface() && logger != null) {
            SurefireCounts counts = new SurefireCounts(logger, number, handshake);
            goal.set("logger", Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, counts));
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        boolean says = method.getName().equals("info") || method.getName().equals("warn") || method.getName().equals("error");
        if (says && arguments != null && arguments.length > 0 && arguments[0] instanceof String) {
            hear((String) arguments[0]);
        }
        try {
            return method.invoke(logger, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    private void hear(String said) {
        Matcher summary = SUMMARY.matcher(said.replaceAll("\\x1b\\[[0-9;]*m", ""));
        if (summary.matches()) {
            String[] counts = new String[5];
            for (int i = 0; i < counts.length; i++) {
                counts[i] = summary.group(i + 1) == null ? "0" : summary.group(i + 1);
            }
            handshake.write(HandshakeLines.counted(number, counts));
        }
    }
}
