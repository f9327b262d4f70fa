package parade.weave;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Enlarges the time limits of tests where their frameworks read them: JUnit 4's annotation and rule, Jupiter's annotation
 * and assertions, TestNG's annotation and suite file. The tests themselves stay the same, and so do other waits.
 */
public final class Limits implements ClassFileTransformer {
    private static final String JUNIT_4 = "org/junit/internal/runners/statements/FailOnTimeout";
    private static final String JUPITER = "org/junit/jupiter/engine/extension/TimeoutDuration";
    private static final String JUPITER_ASSERTIONS = "org/junit/jupiter/api/AssertTimeout";
    private static final String TESTNG = "org/testng/internal/BaseTestMethod";

    /** The option is this class's name among those of the agent, and says nothing more. */
    public Limits(String option) {}

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (loader == null || name == null || redefined != null || !reads(name)) {
            return null;
        }
        try {
            return weave(bytes);
        } catch (Throwable error) {
            System.err.println("parade: limits of " + name.replace('/', '.') + " stay as they are: " + error);
            return null;
        }
    }

    private static boolean reads(String name) {
        return name.equals(JUNIT_4) || name.equals(JUPITER) || name.equals(TESTNG) || name.startsWith(JUPITER_ASSERTIONS);
    }

    private static byte[] weave(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassNode type = new ClassNode();
        reader.accept(type, 0);
        for (MethodNode method : type.methods) {
            for (AbstractInsnNode each : method.instructions.toArray()) {
                if (yieldsLimit(type.name, each)) {
                    method.instructions.insert(each, AgentMethod.ENLARGE.call());
                } else if (returnsLimit(type.name, method, each)) {
                    method.instructions.insertBefore(each, AgentMethod.ENLARGE.call());
                }
            }
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        type.accept(writer);
        return writer.toByteArray();
    }

    /** Leaves a limit on the stack: JUnit 4's field, whatever its name was in which version; Jupiter's milliseconds. */
    private static boolean yieldsLimit(String type, AbstractInsnNode each) {
        if (type.equals(JUNIT_4) && each.getOpcode() == Opcodes.GETFIELD) {
            FieldInsnNode field = (FieldInsnNode) each;
            return field.owner.equals(JUNIT_4) && field.desc.equals("J");
        }
        if (type.startsWith(JUPITER_ASSERTIONS) && each.getOpcode() == Opcodes.INVOKEVIRTUAL) {
            MethodInsnNode call = (MethodInsnNode) each;
            return call.owner.equals("java/time/Duration") && call.name.equals("toMillis");
        }
        return false;
    }

    private static boolean returnsLimit(String type, MethodNode method, AbstractInsnNode each) {
        boolean isLimit = type.equals(JUPITER) && method.name.equals("getValue")
            || type.equals(TESTNG) && method.name.equals("getTimeOut");
        return isLimit && method.desc.equals("()J") && each.getOpcode() == Opcodes.LRETURN;
    }
}
