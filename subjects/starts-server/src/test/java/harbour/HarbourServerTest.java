package harbour;

import static org.junit.Assert.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URL;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

public class HarbourServerTest {
    private static Server server;

    @BeforeClass
    public static void open() throws Exception {
        server = new Server(0);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new HarbourServlet()), "/greet");
        server.setHandler(context);
        server.start();
    }

    @AfterClass
    public static void close() throws Exception {
        server.stop();
    }

    @Test
    public void greetsAShip() throws IOException {
        assertEquals("welcome, Argo", get("/greet?ship=Argo"));
    }

    @Test
    public void knowsNoOtherPlace() throws IOException {
        assertEquals(404, connect("/elsewhere").getResponseCode());
    }

    private static String get(String path) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(connect(path).getInputStream(), "UTF-8"))) {
            return reader.readLine();
        }
    }

    private static HttpURLConnection connect(String path) throws IOException {
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        return (HttpURLConnection) new URL("http://127.0.0.1:" + port + path).openConnection();
    }
}
