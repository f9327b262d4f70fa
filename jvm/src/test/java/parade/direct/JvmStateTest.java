package parade.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.CookieManager;
import java.net.CookieHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import samples.Plain4;

/** What a warm order has of its own: the JDK's state is put back, and classes are loaded anew. */
class JvmStateTest {
    @Test
    void whatTestsChangeIsPutBack() {
        PrintStream out = System.out;
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        String home = System.getProperty("user.home");
        JvmState state = JvmState.capture();
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
        Locale.setDefault(Locale.forLanguageTag("tr-TR"));
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> { });
        Thread.currentThread().setContextClassLoader(null);
        CookieHandler.setDefault(new CookieManager());
        System.setProperty("parade.test.added", "x");
        System.clearProperty("user.home");
        Thread.currentThread().interrupt();
        state.restore();
        assertFalse(Thread.interrupted());
        assertSame(out, System.out);
        assertEquals(locale, Locale.getDefault());
        assertEquals(zone, TimeZone.getDefault());
        assertSame(handler, Thread.getDefaultUncaughtExceptionHandler());
        assertSame(context, Thread.currentThread().getContextClassLoader());
        assertNull(CookieHandler.getDefault());
        assertNull(System.getProperty("parade.test.added"));
        assertEquals(home, System.getProperty("user.home"));
    }

    @Test
    void threadsThatAreLeftAreAskedToEnd() throws Exception {
        JvmState state = JvmState.capture();
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread left = new Thread(() -> {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException asked) {
                interrupted.countDown();
            }
        });
        left.start();
        state.restore();
        interrupted.await();
        left.join();
    }

    private static Path copied(Path folder) throws Exception {
        Path target = folder.resolve("samples/Plain4.class");
        Files.createDirectories(target.getParent());
        try (InputStream bytes = Plain4.class.getResourceAsStream("Plain4.class")) {
            Files.copy(bytes, target);
        }
        return target;
    }

    @Test
    void aFolderComesBeforeTheClassPath(@TempDir Path folder) throws Exception {
        copied(folder);
        File missing = folder.resolve("missing").toFile();
        try (FolderLoader loader = FolderLoader.over(Arrays.asList(missing, folder.toFile()))) {
            Class<?> own = loader.loadClass("samples.Plain4");
            assertNotSame(Plain4.class, own);
            assertSame(loader, own.getClassLoader());
            assertSame(own, loader.loadClass("samples.Plain4"));
            assertSame(samples.Parameters4.class, loader.loadClass("samples.Parameters4"), "everything else is the system's");
            assertEquals(1, loader.getURLs().length);
        }
    }

    @Test
    void resourcesOfTheFolderComeFirst(@TempDir Path folder) throws Exception {
        Path own = copied(folder);
        try (FolderLoader loader = FolderLoader.over(Collections.singletonList(folder.toFile()))) {
            assertEquals(own.toUri().toURL(), loader.getResource("samples/Plain4.class"));
            assertEquals(2, Collections.list(loader.getResources("samples/Plain4.class")).size());
            assertTrue(loader.getResource("samples/Parameters4.class") != null);
            assertNull(loader.getResource("samples/none"));
        }
    }
}
