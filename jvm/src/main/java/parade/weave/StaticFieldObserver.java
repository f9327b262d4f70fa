package parade.weave;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;

import parade.agent.Shared;

/** Reads and writes of static fields, and of the containers that they refer to. */
final class StaticFieldObserver implements Observer {
    @Override
    public boolean observeInstruction(AbstractInsnNode instruction, WovenMethod method) {
        if (!(instruction instanceof FieldInsnNode)) {
            return false;
        }
        FieldInsnNode access = (FieldInsnNode) instruction;
        boolean reads = access.getOpcode() == Opcodes.GETSTATIC;
        boolean isStatic = reads || access.getOpcode() == Opcodes.PUTSTATIC;
        boolean isOwnInitialisation = method.isStaticInitialiser() && access.owner.equals(method.type.name);
        if (!isStatic || access.owner.startsWith("java/") || isOwnInitialisation) {
            return false;
        }
        Fields.Declared field = method.fields.find(access);
        if (field.isGenerated() || field.isFinal() && !reads) {
            return false;
        }
        if (field.isFinal() && (!isReference(access) || isString(access) || !method.ofProject)) {
            return observeConstant(access, field, method);
        }
        observe(access, field, method);
        return true;
    }

    @Override
    public boolean observeMethod(WovenMethod method) {
        return false;
    }

    private static void observe(FieldInsnNode access, Fields.Declared field, WovenMethod method) {
        int number = Shared.field(field.type, access.name);
        boolean writes = access.getOpcode() == Opcodes.PUTSTATIC;
        boolean mayLeak = isReference(access) && method.ofProject && !isString(access);
        if (writes || field.isFinal() && Containers.isReset(access)) {
            method.instructions().insertBefore(access, AgentMethod.WRITE.callWith(number));
        } else if (mayLeak && !Containers.isOnlyAsked(access)) {
            InsnList added = AgentMethod.READ_REFERENCE.callWith(number);
            added.insert(new InsnNode(Opcodes.DUP));
            method.instructions().insert(access, added);
        } else {
            method.instructions().insert(access, AgentMethod.READ.callWith(number));
        }
    }

    /** A constant never changes, but its value may depend on what its class read when it was initialised. */
    private static boolean observeConstant(FieldInsnNode access, Fields.Declared field, WovenMethod method) {
        if (!field.hasInitialiser || access.owner.equals(method.type.name)) {
            return false;
        }
        method.instructions().insert(access, AgentMethod.USE.callWith(Shared.type(field.type)));
        return true;
    }

    private static boolean isReference(FieldInsnNode access) {
        return access.desc.startsWith("L") || access.desc.startsWith("[");
    }

    private static boolean isString(FieldInsnNode access) {
        return access.desc.equals("Ljava/lang/String;");
    }
}
