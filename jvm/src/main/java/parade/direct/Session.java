package parade.direct;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import parade.direct.core.Events;
import parade.direct.core.Wanted;
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
        switch (ControlKind.of(line[0])) {
            case PROPERTY:
                System.setProperty(line[1], line.length > 2 ? line[2] : "");
                break;
            case FOLDER:
                folders.add(new File(line[1]));
                break;
            case ACCESSES:
                AccessLog.begin();
                break;
            case TRACE:
                Tracer.begin(line[1]);
                break;
            case LIST:
                listing = line[1];
                framework = line[2];
                roots.clear();
                break;
            case ROOT:
                roots.add(line[1]);
                break;
            case ORDER:
                order = new Order(line);
                break;
            case TEST:
                order.tests.add(new Wanted(line));
                break;
            case GO:
                go();
                break;
            default:
                throw new IllegalStateException(line[0]);
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
