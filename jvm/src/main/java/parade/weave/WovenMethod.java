package parade.weave;

import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.MethodNode;

/** A method that is woven, with what observers need to know about it. */
final class WovenMethod {
    final ClassNode type;
    final MethodNode node;
    final Fields fields;
    /** Is it of the project's own classes? There, what is behind references is observed too. */
    final boolean ofProject;

    WovenMethod(ClassNode type, MethodNode node, Fields fields, boolean ofProject) {
        this.type = type;
        this.node = node;
        this.fields = fields;
        this.ofProject = ofProject;
    }

    InsnList instructions() {
        return node.instructions;
    }

    boolean isStaticInitialiser() {
        return node.name.equals("<clinit>");
    }
}
