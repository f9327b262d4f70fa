package parade.weave;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Makes classes tell which static fields, files and system properties they touch. Only code that is run forward is added, so
 * that the frames of a method stay as they are. A class that cannot be woven stays as it is, and says so in the process's
 * output.
 */
public final class Weaver implements ClassFileTransformer {
    private final Scope scope;

    /** For the project in this folder. */
    public Weaver(String project) {
        scope = new Scope(project);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (loader == null || name == null || redefined != null || !scope.contains(name)) {
            return null;
        }
        try {
            return weave(bytes, new Fields(loader), scope.isOfProject(domain));
        } catch (Throwable error) {
            System.err.println("parade: what " + name.replace('/', '.') + " shares is not seen: " + error);
            return null;
        }
    }

    /** Null where there is nothing to do. */
    static byte[] weave(byte[] bytes, Fields fields, boolean ofProject) {
        ClassReader reader = new ClassReader(bytes);
        ClassNode type = new ClassNode();
        reader.accept(type, 0);
        fields.know(type);
        boolean changed = false;
        for (MethodNode method : type.methods) {
            if (method.instructions.size() > 0) {
                changed |= new MethodWeaver(type, method, fields, ofProject).weave();
            }
        }
        if (!changed) {
            return null;
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        type.accept(writer);
        return writer.toByteArray();
    }
}
