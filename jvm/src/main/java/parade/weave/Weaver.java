package parade.weave;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.List;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Shows every method of every class in its scope to the observers, which add code that tells the agent what is touched. A
 * class that cannot be woven stays as it is, and the process's output says so.
 */
public final class Weaver implements ClassFileTransformer {
    static final List<Observer> OBSERVERS =
        Arrays.asList(new StaticFieldObserver(), new OutsideObserver(), new InitialiserObserver());

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
            return weave(bytes, new Fields(loader), scope.isOfProject(domain), OBSERVERS);
        } catch (Throwable error) {
            System.err.println("parade: what " + name.replace('/', '.') + " shares is not seen: " + error);
            return null;
        }
    }

    /** Null where there is nothing to do. */
    static byte[] weave(byte[] bytes, Fields fields, boolean ofProject, List<Observer> observers) {
        ClassReader reader = new ClassReader(bytes);
        ClassNode type = new ClassNode();
        reader.accept(type, 0);
        fields.know(type);
        boolean changed = false;
        for (MethodNode method : type.methods) {
            if (method.instructions.size() > 0) {
                changed |= weave(new WovenMethod(type, method, fields, ofProject), observers);
            }
        }
        if (!changed) {
            return null;
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        type.accept(writer);
        return writer.toByteArray();
    }

    /** Observers see an instruction before any of them has added code behind it. */
    private static boolean weave(WovenMethod method, List<Observer> observers) {
        boolean changed = false;
        for (AbstractInsnNode instruction : method.instructions().toArray()) {
            for (Observer observer : observers) {
                changed |= observer.observeInstruction(instruction, method);
            }
        }
        for (Observer observer : observers) {
            changed |= observer.observeMethod(method);
        }
        return changed;
    }
}
