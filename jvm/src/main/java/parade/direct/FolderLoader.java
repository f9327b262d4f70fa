package parade.direct;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Loads classes from class folders itself and leaves everything else to the system's loader, which has the jars. Folders
 * come first, as they do on a class path.
 */
final class FolderLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final File[] folders;

    private FolderLoader(URL[] urls, File[] folders) {
        super(urls, ClassLoader.getSystemClassLoader());
        this.folders = folders;
    }

    /** Those that do not exist are passed over. */
    static FolderLoader over(List<File> folders) {
        List<File> present = new ArrayList<>();
        List<URL> urls = new ArrayList<>();
        for (File folder : folders) {
            if (folder.isDirectory()) {
                present.add(folder);
                urls.add(url(folder));
            }
        }
        return new FolderLoader(urls.toArray(new URL[0]), present.toArray(new File[0]));
    }

    private static URL url(File folder) {
        try {
            return folder.toURI().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null && has(name.replace('.', '/').concat(".class"))) {
                loaded = findClass(name);
            }
            if (loaded == null) {
                return super.loadClass(name, resolve);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    /** A file system can ignore case, and class names do not. If the class has another name, defining it fails. */
    private boolean has(String path) {
        for (File folder : folders) {
            if (new File(folder, path).isFile()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = Collections.list(findResources(name));
        all.addAll(Collections.list(getParent().getResources(name)));
        return Collections.enumeration(all);
    }
}
