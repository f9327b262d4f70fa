package parade.weave;

import java.util.HashMap;
import java.util.Map;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

import parade.agent.Outside;

/** One call of the JDK that reaches files or system properties. */
final class OutsideCall {
    private static final String FILE = "java/io/File";
    private static final String PATH = "java/nio/file/Path";
    private static final String FILES = "java/nio/file/Files";
    /** Reads the first of its paths, and changes the second. */
    private static final int COPY = 8;
    private static final int READ_PROPERTY = 16;
    private static final int WRITE_PROPERTY = 17;
    private static final int READ_PROPERTIES = 18;
    private static final int WRITE_PROPERTIES = 19;
    private static final Map<String, Integer> KINDS = new HashMap<>();

    static {
        of(FILE, Outside.READ, "exists isFile isDirectory isHidden length lastModified canRead canWrite canExecute");
        of(FILE, Outside.LIST, "list listFiles");
        of(FILE, Outside.WRITE, "delete setLastModified setReadOnly setReadable setWritable setExecutable");
        of(FILE, Outside.CHANGE, "createNewFile mkdir mkdirs renameTo");
        of(FILES, Outside.READ, "exists notExists isRegularFile isDirectory isSymbolicLink isReadable isWritable isExecutable "
            + "isHidden isSameFile mismatch size getLastModifiedTime getAttribute readAttributes getPosixFilePermissions "
            + "getOwner probeContentType readAllBytes readString readAllLines lines newBufferedReader newInputStream "
            + "readSymbolicLink");
        of(FILES, Outside.LIST, "list walk walkFileTree find newDirectoryStream");
        of(FILES, Outside.WRITE, "write writeString newBufferedWriter newOutputStream delete deleteIfExists "
            + "setLastModifiedTime setAttribute setPosixFilePermissions setOwner");
        of(FILES, Outside.CHANGE, "createFile createDirectory createDirectories createLink createSymbolicLink move newByteChannel");
        of(FILES, COPY, "copy");
        of("java/nio/channels/FileChannel", Outside.CHANGE, "open");
        for (String reader : new String[] {"java/io/FileInputStream", "java/io/FileReader", "java/util/Scanner",
            "java/util/zip/ZipFile", "java/util/jar/JarFile"}) {
            of(reader, Outside.READ, "<init>");
        }
        for (String writer : new String[] {"java/io/FileOutputStream", "java/io/FileWriter", "java/io/PrintWriter",
            "java/io/PrintStream", "java/io/RandomAccessFile"}) {
            of(writer, Outside.WRITE, "<init>");
        }
        of("java/lang/System", READ_PROPERTY, "getProperty");
        of("java/lang/System", WRITE_PROPERTY, "setProperty clearProperty");
        of("java/lang/System", READ_PROPERTIES, "getProperties");
        of("java/lang/System", WRITE_PROPERTIES, "setProperties");
        of("java/lang/Boolean", READ_PROPERTY, "getBoolean");
        of("java/lang/Integer", READ_PROPERTY, "getInteger");
        of("java/lang/Long", READ_PROPERTY, "getLong");
    }

    private final MethodInsnNode call;
    private final int kind;
    private final Type[] operands;
    private final int[] places;

    private OutsideCall(MethodInsnNode call, int kind, int free) {
        this.call = call;
        this.kind = kind;
        operands = Type.getArgumentTypes(call.desc);
        places = new int[operands.length];
        int next = free;
        for (int i = 0; i < operands.length; i++) {
            places[i] = next;
            next += operands[i].getSize();
        }
    }

    private static void of(String owner, int kind, String names) {
        for (String name : names.split(" ")) {
            KINDS.put(owner + '.' + name, kind);
        }
    }

    /** False where the call is none of these. */
    static boolean weave(MethodInsnNode call, MethodNode method) {
        Integer kind = KINDS.get(call.owner + '.' + call.name);
        if (kind == null) {
            return false;
        }
        InsnList added = new OutsideCall(call, kind, method.maxLocals).told();
        if (added == null) {
            return false;
        }
        method.instructions.insertBefore(call, added);
        return true;
    }

    /** What to do right before the call: operands are laid aside, looked at, and put back. */
    private InsnList told() {
        InsnList looks = kind < READ_PROPERTY ? files() : properties();
        if (looks.size() == 0) {
            return null;
        }
        InsnList all = new InsnList();
        for (int i = operands.length - 1; i >= 0; i--) {
            all.add(new VarInsnNode(operands[i].getOpcode(Opcodes.ISTORE), places[i]));
        }
        all.add(looks);
        for (int i = 0; i < operands.length; i++) {
            all.add(load(i));
        }
        return all;
    }

    private InsnList files() {
        InsnList looks = new InsnList();
        if (call.owner.equals(FILE)) {
            looks.add(new InsnNode(Opcodes.DUP));
            file(looks, kind);
        }
        int seen = 0;
        for (int i = 0; i < operands.length; i++) {
            if (isPath(i)) {
                looks.add(load(i));
                boolean source = kind == COPY && seen++ == 0 && i == 0;
                look(looks, kind != COPY ? kind : source ? Outside.READ : Outside.CHANGE, i);
            }
        }
        return looks;
    }

    /** A path is on the stack. */
    private void look(InsnList looks, int how, int place) {
        int next = place + 1;
        if (how == Outside.WRITE && next < operands.length && operands[next].getSort() == Type.BOOLEAN) {
            looks.add(load(next));
            looks.add(AgentMethod.FILE_WRITTEN.call());
        } else if (how == Outside.WRITE && optionsFrom(next) >= 0) {
            looks.add(load(optionsFrom(next)));
            looks.add(AgentMethod.FILE_OPENED.call());
        } else {
            file(looks, how);
        }
    }

    private static void file(InsnList looks, int how) {
        looks.add(new LdcInsnNode(how));
        looks.add(AgentMethod.FILE.call());
    }

    /** A constructor's name of a file can be a text; a scanner's text is none. */
    private boolean isPath(int place) {
        String type = operands[place].getInternalName();
        boolean named = type.equals("java/lang/String") && place == 0 && call.name.equals("<init>")
            && !call.owner.equals("java/util/Scanner");
        return type.equals(FILE) || type.equals(PATH) || named;
    }

    /** A mode, or options; -1 where there are none. */
    private int optionsFrom(int first) {
        for (int i = first; i < operands.length; i++) {
            String type = operands[i].getDescriptor();
            boolean mode = type.equals("Ljava/lang/String;") && call.owner.equals("java/io/RandomAccessFile");
            if (mode || type.equals("[Ljava/nio/file/OpenOption;") || type.equals("Ljava/util/Set;")) {
                return i;
            }
        }
        return -1;
    }

    private InsnList properties() {
        InsnList looks = new InsnList();
        boolean all = kind == READ_PROPERTIES || kind == WRITE_PROPERTIES;
        int how = kind == READ_PROPERTY || kind == READ_PROPERTIES ? Outside.READ : Outside.WRITE;
        if (!all) {
            looks.add(load(0));
        }
        looks.add(new LdcInsnNode(how));
        looks.add((all ? AgentMethod.PROPERTIES : AgentMethod.PROPERTY).call());
        return looks;
    }

    private VarInsnNode load(int place) {
        return new VarInsnNode(operands[place].getOpcode(Opcodes.ILOAD), places[place]);
    }
}
