package parade.direct;

import java.io.InputStream;
import java.io.PrintStream;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.ResponseCache;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;

import parade.direct.core.Events;

/**
 * The state of the JDK that tests can change and that can be restored. State that cannot be restored, such as a URL stream
 * handler factory, stays changed until the process ends.
 */
final class JvmState {
    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = (TimeZone) TimeZone.getDefault().clone();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();
    private final ProxySelector proxies = ProxySelector.getDefault();
    private final CookieHandler cookies = CookieHandler.getDefault();
    private final ResponseCache cache = ResponseCache.getDefault();
    private final Set<Thread> threads = Thread.getAllStackTraces().keySet();

    private JvmState() {}

    static JvmState capture() {
        return new JvmState();
    }

    void restore() {
        freeSecurity();
        Properties restored = new Properties();
        restored.putAll(properties);
        System.setProperties(restored);
        Locale.setDefault(locale);
        Locale.setDefault(Locale.Category.DISPLAY, display);
        Locale.setDefault(Locale.Category.FORMAT, format);
        TimeZone.setDefault(zone);
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        Thread.setDefaultUncaughtExceptionHandler(handler);
        Authenticator.setDefault(null);
        ProxySelector.setDefault(proxies);
        CookieHandler.setDefault(cookies);
        ResponseCache.setDefault(cache);
        Thread.interrupted();
        Thread.currentThread().setContextClassLoader(context);
        endLeftovers();
    }

    /** Removes a test's security manager, which could forbid everything else. */
    static void freeSecurity() {
        try {
            if (System.getSecurityManager() != null) {
                System.setSecurityManager(null);
            }
        } catch (SecurityException | UnsupportedOperationException insists) {
            Events.complain("a test's security manager stays: " + insists);
        }
    }

    /** Interrupts threads that outlive their order, and removes the order's class loader from them. */
    private void endLeftovers() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (threads.contains(thread) || thread == Thread.currentThread()) {
                continue;
            }
            if (!thread.isDaemon()) {
                thread.interrupt();
            }
            thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        }
    }
}
