package parade.weave;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

import parade.agent.Shared;

/** Weaves one method. */
final class MethodWeaver {
    static final String SHARED = "parade/agent/Shared";

    private final ClassNode type;
    private final MethodNode method;
    private final Fields fields;
    private final boolean ofProject;
    private final boolean initialises;
    private boolean changed;

    /** Of a project's own classes, what is behind references counts too. */
    MethodWeaver(ClassNode type, MethodNode method, Fields fields, boolean ofProject) {
        this.type = type;
        this.method = method;
        this.fields = fields;
        this.ofProject = ofProject;
        initialises = method.name.equals("<clinit>");
    }

    /** False where there was nothing to do. */
    boolean weave() {
        for (AbstractInsnNode each : method.instructions.toArray()) {
            if (each instanceof FieldInsnNode) {
                weave((FieldInsnNode) each);
            } else if (each instanceof MethodInsnNode) {
                changed |= Calls.weave((MethodInsnNode) each, method);
            }
        }
        if (initialises) {
            bracket();
        } else if (entersClass() && Fields.hasInitialiser(type)) {
            method.instructions.insert(call(type(type.name), "use", "(I)V"));
            changed = true;
        }
        return changed;
    }

    private boolean entersClass() {
        return (method.access & Opcodes.ACC_STATIC) != 0 || method.name.equals("<init>");
    }

    private void weave(FieldInsnNode access) {
        boolean reads = access.getOpcode() == Opcodes.GETSTATIC;
        boolean isStatic = reads || access.getOpcode() == Opcodes.PUTSTATIC;
        if (!isStatic || access.owner.startsWith("java/") || initialises && access.owner.equals(type.name)) {
            return;
        }
        Fields.Declared field = fields.find(access);
        if (field.isNobodys() || field.isFinal() && !reads) {
            return;
        }
        boolean reference = access.desc.startsWith("L") || access.desc.startsWith("[");
        if (field.isFinal() && (!reference || access.desc.equals("Ljava/lang/String;") || !ofProject)) {
            weaveConstant(access, field);
            return;
        }
        int number = Shared.field(field.type, access.name);
        if (!reads) {
            method.instructions.insertBefore(access, call(number, "write", "(I)V"));
        } else if (field.isFinal() && Containers.isReset(access)) {
            method.instructions.insertBefore(access, call(number, "write", "(I)V"));
        } else if (reference && ofProject && !access.desc.equals("Ljava/lang/String;") && !Containers.isOnlyAsked(access)) {
            InsnList added = call(number, "read", "(Ljava/lang/Object;I)V");
            added.insert(new InsnNode(Opcodes.DUP));
            method.instructions.insert(access, added);
        } else {
            method.instructions.insert(access, call(number, "read", "(I)V"));
        }
        changed = true;
    }

    /** It never changes, but its value may come from what its class read at first. */
    private void weaveConstant(FieldInsnNode access, Fields.Declared field) {
        if (field.hasInitialiser && !access.owner.equals(type.name)) {
            method.instructions.insert(access, call(type(field.type), "use", "(I)V"));
            changed = true;
        }
    }

    private static int type(String name) {
        return Shared.type(name.replace('/', '.'));
    }

    static InsnList call(int number, String name, String descriptor) {
        InsnList added = new InsnList();
        added.add(new LdcInsnNode(number));
        added.add(new MethodInsnNode(Opcodes.INVOKESTATIC, SHARED, name, descriptor, false));
        return added;
    }

    /** Tells when a static initialiser begins and ends, also where it throws. */
    private void bracket() {
        LabelNode from = new LabelNode();
        LabelNode to = new LabelNode();
        for (AbstractInsnNode each : method.instructions.toArray()) {
            if (each.getOpcode() == Opcodes.RETURN) {
                method.instructions.insertBefore(each, leave());
            }
        }
        method.instructions.insert(from);
        method.instructions.insert(call(type(type.name), "enter", "(I)V"));
        method.instructions.add(to);
        if ((type.version & 0xFFFF) >= Opcodes.V1_6) {
            Object[] thrown = {"java/lang/Throwable"};
            method.instructions.add(new FrameNode(Opcodes.F_FULL, 0, new Object[0], 1, thrown));
        }
        method.instructions.add(leave());
        method.instructions.add(new InsnNode(Opcodes.ATHROW));
        method.tryCatchBlocks.add(new TryCatchBlockNode(from, to, to, null));
        changed = true;
    }

    private static MethodInsnNode leave() {
        return new MethodInsnNode(Opcodes.INVOKESTATIC, SHARED, "leave", "()V", false);
    }
}
