package parade.weave;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

import parade.agent.Shared;

/** When static initialisers run, and who uses classes that have one. */
final class InitialiserObserver implements Observer {
    @Override
    public boolean observeInstruction(AbstractInsnNode instruction, WovenMethod method) {
        return false;
    }

    @Override
    public boolean observeMethod(WovenMethod method) {
        if (method.isStaticInitialiser()) {
            bracket(method);
            return true;
        }
        if (!entersClass(method) || !Fields.hasInitialiser(method.type)) {
            return false;
        }
        method.instructions().insert(AgentMethod.USE.callWith(number(method)));
        return true;
    }

    private static int number(WovenMethod method) {
        return Shared.type(method.type.name.replace('/', '.'));
    }

    private static boolean entersClass(WovenMethod method) {
        return (method.node.access & Opcodes.ACC_STATIC) != 0 || method.node.name.equals("<init>");
    }

    /** Tells when a static initialiser begins and ends, also where it throws. */
    private static void bracket(WovenMethod method) {
        InsnList code = method.instructions();
        LabelNode from = new LabelNode();
        LabelNode to = new LabelNode();
        for (AbstractInsnNode each : code.toArray()) {
            if (each.getOpcode() == Opcodes.RETURN) {
                code.insertBefore(each, AgentMethod.LEAVE.call());
            }
        }
        code.insert(from);
        code.insert(AgentMethod.ENTER.callWith(number(method)));
        code.add(to);
        if ((method.type.version & 0xFFFF) >= Opcodes.V1_6) {
            Object[] thrown = {"java/lang/Throwable"};
            code.add(new FrameNode(Opcodes.F_FULL, 0, new Object[0], 1, thrown));
        }
        code.add(AgentMethod.LEAVE.call());
        code.add(new InsnNode(Opcodes.ATHROW));
        method.node.tryCatchBlocks.add(new TryCatchBlockNode(from, to, to, null));
    }
}
