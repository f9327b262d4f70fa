package parade.weave;

import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** Calls of the JDK that reach files and system properties. What a method reference does is not seen. */
final class OutsideObserver implements Observer {
    @Override
    public boolean observeInstruction(AbstractInsnNode instruction, WovenMethod method) {
        return instruction instanceof MethodInsnNode && OutsideCall.weave((MethodInsnNode) instruction, method.node);
    }

    @Override
    public boolean observeMethod(WovenMethod method) {
        return false;
    }
}
