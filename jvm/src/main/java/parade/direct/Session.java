package parade.direct;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import parade.listen.EventLog;

/** Carries out what the control file says. */
final class Session {
    private final List<File> folders = new ArrayList<>();
    private FolderLoader shared;
    private String listing;
    private String framework;
    private final List<String> roots = new ArrayList<>();
    private Order order;

    void obey(ControlReader control) throws IOException {
        for (String[] line = control.next(); line != null; line = control.next()) {
            obey(line);
        }
    }

    private void obey(String[] line) throws IOException {
        switch (line[0]) {
            case "property":
                System.setProperty(line[1], line.length > 2 ? line[2] : "");
                break;
            case "folder":
                folders.add(new File(line[1]));
                break;
            case "accesses":
                AccessLog.begin();
                break;
            case "trace":
                Tracer.begin(line[1]);
                break;
            case "list":
                listing = line[1];
                framework = line[2];
                roots.clear();
                break;
            case "root":
                roots.add(line[1]);
                break;
            case "order":
                order = new Order(line);
                break;
            case "test":
                order.tests.add(new Wanted(line));
                break;
            case "go":
                go();
                break;
            default:
                throw new IllegalArgumentException("the control file says `" + line[0] + "`");
        }
    }

    private void go() throws IOException {
        if (listing != null) {
            list();
            listing = null;
        }
        if (order != null) {
            run(order);
            order = null;
        }
    }

    private void list() {
        ClassLoader loader = sharedLoader();
        Thread.currentThread().setContextClassLoader(loader);
        Frameworks frameworks = new Frameworks(loader);
        for (String root : roots) {
            frameworks.list(framework, root);
        }
        frameworks.close();
        Events.done(listing);
    }

    private void run(Order order) throws IOException {
        Events.begun(order.id);
        Watchdog watchdog = order.limitMillis > 0 ? Watchdog.over(order) : null;
        if (order.warm) {
            WarmOrder.run(order, folders);
        } else {
            ClassLoader loader = sharedLoader();
            Thread.currentThread().setContextClassLoader(loader);
            Schedule.run(order, loader);
        }
        if (watchdog != null) {
            watchdog.end();
        }
        EventLog.get().settle();
        Events.done(order.id);
    }

    private ClassLoader sharedLoader() {
        if (folders.isEmpty()) {
            return ClassLoader.getSystemClassLoader();
        }
        if (shared == null) {
            shared = FolderLoader.over(folders);
        }
        return shared;
    }
}
