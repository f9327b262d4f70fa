package parade.weave;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/** Where fields are declared, and how: from class files, as nothing may be loaded ahead of its time. */
final class Fields {
    /** A static field as its class declares it. */
    static final class Declared {
        /** With dots. */
        final String type;
        final int access;
        final boolean hasInitialiser;

        Declared(String type, int access, boolean hasInitialiser) {
            this.type = type.replace('/', '.');
            this.access = access;
            this.hasInitialiser = hasInitialiser;
        }

        boolean isFinal() {
            return (access & Opcodes.ACC_FINAL) != 0;
        }

        /** Was it made by the compiler, or is it a constant of an enumeration? */
        boolean isGenerated() {
            return (access & (Opcodes.ACC_SYNTHETIC | Opcodes.ACC_ENUM)) != 0;
        }
    }

    private final ClassLoader loader;
    private final Map<String, ClassNode> known = new HashMap<>();

    Fields(ClassLoader loader) {
        this.loader = loader;
    }

    void know(ClassNode type) {
        known.put(type.name, type);
    }

    /** What cannot be found counts as declared where it is said to be, and as changing. */
    Declared find(FieldInsnNode access) {
        Declared found = find(access.owner, access);
        return found != null ? found : new Declared(access.owner, 0, true);
    }

    private Declared find(String owner, FieldInsnNode access) {
        ClassNode type = get(owner);
        if (type == null) {
            return null;
        }
        for (FieldNode field : type.fields) {
            if (field.name.equals(access.name) && field.desc.equals(access.desc)) {
                return new Declared(owner, field.access, hasInitialiser(type));
            }
        }
        List<String> above = new ArrayList<>(type.interfaces);
        if (type.superName != null) {
            above.add(type.superName);
        }
        for (String each : above) {
            Declared found = find(each, access);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    static boolean hasInitialiser(ClassNode type) {
        for (MethodNode method : type.methods) {
            if (method.name.equals("<clinit>")) {
                return true;
            }
        }
        return false;
    }

    private ClassNode get(String name) {
        if (!known.containsKey(name)) {
            known.put(name, name.startsWith("java/") ? null : read(name));
        }
        return known.get(name);
    }

    private ClassNode read(String name) {
        try (InputStream file = loader.getResourceAsStream(name + ".class")) {
            if (file == null) {
                return null;
            }
            ClassNode type = new ClassNode();
            new ClassReader(file).accept(type, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return type;
        } catch (IOException | RuntimeException unreadable) {
            return null;
        }
    }
}
