package parade.weave;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import parade.Compiled;
import parade.agent.Shared;
import parade.agent.Touched;

/** Classes that were woven, in a loader of their own. */
final class WovenClasses extends ClassLoader {
    private final Compiled compiled;
    private final boolean ofProject;
    private final List<Observer> observers;

    WovenClasses(Compiled compiled, boolean ofProject, List<Observer> observers) {
        super(WovenClasses.class.getClassLoader());
        this.compiled = compiled;
        this.ofProject = ofProject;
        this.observers = observers;
    }

    static WovenClasses ofProject(String name, String... lines) {
        return new WovenClasses(new Compiled(name, lines), true, Weaver.OBSERVERS);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = compiled.bytes(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] woven = Weaver.weave(bytes, new Fields(this), ofProject, observers);
        byte[] used = woven == null ? bytes : woven;
        return defineClass(name, used, 0, used.length);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        byte[] bytes = name.endsWith(".class") ? compiled.bytes(name.replace('/', '.').replaceAll("\\.class$", "")) : null;
        return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
    }

    /** Calls a static method without parameters, and returns what was touched meanwhile. */
    Touched call(String type, String method) throws Exception {
        java.lang.reflect.Method found = loadClass(type).getDeclaredMethod(method);
        found.setAccessible(true);
        Shared.take();
        found.invoke(null);
        return Shared.take();
    }

    static Set<String> names(Iterable<Integer> numbers) {
        Set<String> names = new TreeSet<>();
        for (int number : numbers) {
            names.add(Shared.name(number));
        }
        return names;
    }
}
