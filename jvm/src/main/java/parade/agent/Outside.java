package parade.agent;

import java.io.File;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;

/** Files and system properties, as calls of the JDK reach them. A call is seen before it is made, and may fail. */
public final class Outside {
    public static final int READ = 1;
    public static final int WRITE = 2;
    /** Written, depending on what was there. */
    public static final int CHANGE = READ | WRITE;
    /** Which files there are in a folder. */
    public static final int LIST = 4;

    private static final int ALL_PROPERTIES = Shared.named("property:*");
    private static final int TABLE_OF_PROPERTIES = Shared.named("properties");

    private Outside() {}

    public static void file(Object path, int how) {
        String name = absolute(path);
        if (name == null) {
            return;
        }
        if (how == LIST) {
            Shared.read(Shared.named("file:" + name + "/"));
            return;
        }
        touch(Shared.named("file:" + name), how);
        int slash = name.lastIndexOf('/');
        if ((how & WRITE) != 0 && slash > 0) {
            // A listing of the folder may change.
            Shared.write(Shared.named("file:" + name.substring(0, slash) + "/"));
        }
    }

    public static void written(Object path, boolean append) {
        file(path, append ? CHANGE : WRITE);
    }

    /** By a mode such as `rw`, or by options; without any, a file is emptied. */
    public static void opened(Object path, Object how) {
        if (how instanceof String) {
            file(path, how.equals("r") ? READ : CHANGE);
            return;
        }
        Collection<?> options = how instanceof Object[] ? Arrays.asList((Object[]) how)
            : how instanceof Collection ? (Collection<?>) how : Collections.emptySet();
        boolean writes = options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND);
        boolean empties = options.isEmpty() || options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        boolean depends = options.contains(StandardOpenOption.APPEND) || options.contains(StandardOpenOption.CREATE_NEW);
        if (options.contains(StandardOpenOption.READ) && !writes) {
            file(path, READ);
        } else {
            file(path, empties && !depends ? WRITE : CHANGE);
        }
    }

    public static void property(Object name, int how) {
        if (!(name instanceof String)) {
            return;
        }
        touch(Shared.named("property:" + name), how);
        if ((how & WRITE) != 0) {
            Shared.write(ALL_PROPERTIES);
        } else {
            Shared.read(TABLE_OF_PROPERTIES);
        }
    }

    /** All properties at once. The caller has the table and can change every one. */
    public static void properties(int how) {
        if (how == READ) {
            Shared.read(ALL_PROPERTIES);
        }
        Shared.write(TABLE_OF_PROPERTIES);
    }

    private static void touch(int number, int how) {
        if ((how & READ) != 0) {
            Shared.read(number);
        }
        if ((how & WRITE) != 0) {
            Shared.write(number);
        }
    }

    /** Null for what is no file of this machine. */
    private static String absolute(Object path) {
        try {
            if (path instanceof Path) {
                Path known = (Path) path;
                boolean ours = known.getFileSystem() == FileSystems.getDefault();
                return ours ? known.toAbsolutePath().normalize().toString() : null;
            }
            File file = path instanceof String ? new File((String) path) : (File) path;
            return file == null ? null : file.toPath().toAbsolutePath().normalize().toString();
        } catch (RuntimeException strange) {
            return null;
        }
    }
}
