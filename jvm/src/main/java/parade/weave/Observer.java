package parade.weave;

import org.objectweb.asm.tree.AbstractInsnNode;

/**
 * One kind of thing that tests share and that is observed. The weaver shows every method to every observer, and the observer
 * adds code that tells the agent. The weaver itself knows nothing of what is observed, so another kind (fields of objects,
 * arrays) is another implementation of this interface in the list of {@link Weaver}.
 *
 * <p>Added code must leave the operand stack as it was and must not jump, so that the frames of the method stay valid.
 */
interface Observer {
    /** Is shown each instruction that the method had at first, in order. Returns true if it added code. */
    boolean observeInstruction(AbstractInsnNode instruction, WovenMethod method);

    /** Is shown the method after all of its instructions. Returns true if it added code. */
    boolean observeMethod(WovenMethod method);
}
