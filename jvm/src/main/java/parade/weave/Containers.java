package parade.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Recognizes what is done with a container of the JDK right after it was read from a field. Emptying it depends on nothing,
 * and asking it changes nothing.
 */
final class Containers {
    private static final String ATOMIC = "java/util/concurrent/atomic/Atomic";
    private static final Set<String> ASKING = new HashSet<>(Arrays.asList("size", "isEmpty", "contains", "containsKey",
        "containsValue", "intValue", "longValue"));

    private Containers() {}

    /** `clear()`, or a value set. */
    static boolean isReset(FieldInsnNode access) {
        MethodInsnNode call = callOn(access);
        return call != null && (call.name.equals("clear") && call.desc.equals("()V")
            || call.owner.startsWith(ATOMIC) && call.name.equals("set") && !call.owner.endsWith("Array"));
    }

    /** Nothing comes out of it through which it could be changed. */
    static boolean isOnlyAsked(FieldInsnNode access) {
        MethodInsnNode call = callOn(access);
        return call != null && (ASKING.contains(call.name)
            || call.owner.startsWith(ATOMIC) && call.name.equals("get") && !call.desc.endsWith(";"));
    }

    /** The call that the field's value is for, where at most one simple operand stands between. */
    private static MethodInsnNode callOn(FieldInsnNode access) {
        AbstractInsnNode next = real(access.getNext());
        int operands = 0;
        if (next != null && isSimple(next.getOpcode())) {
            operands = 1;
            next = real(next.getNext());
        }
        boolean calls = next != null && (next.getOpcode() == Opcodes.INVOKEVIRTUAL || next.getOpcode() == Opcodes.INVOKEINTERFACE);
        if (!calls) {
            return null;
        }
        MethodInsnNode call = (MethodInsnNode) next;
        boolean fits = Type.getArgumentTypes(call.desc).length == operands;
        return fits && call.owner.startsWith("java/util/") ? call : null;
    }

    /** Skips labels, lines and frames. */
    private static AbstractInsnNode real(AbstractInsnNode node) {
        AbstractInsnNode next = node;
        while (next != null && next.getOpcode() < 0) {
            next = next.getNext();
        }
        return next;
    }

    /** A constant or a local variable. */
    private static boolean isSimple(int opcode) {
        return opcode >= Opcodes.ACONST_NULL && opcode <= Opcodes.ALOAD;
    }
}
