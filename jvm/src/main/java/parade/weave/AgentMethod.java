package parade.weave;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** The methods of the agent that woven code calls. All are static. */
enum AgentMethod {
    READ("Shared", "read", "(I)V"),
    READ_REFERENCE("Shared", "read", "(Ljava/lang/Object;I)V"),
    WRITE("Shared", "write", "(I)V"),
    USE("Shared", "use", "(I)V"),
    ENTER("Shared", "enter", "(I)V"),
    LEAVE("Shared", "leave", "()V"),
    FILE("Outside", "file", "(Ljava/lang/Object;I)V"),
    FILE_WRITTEN("Outside", "written", "(Ljava/lang/Object;Z)V"),
    FILE_OPENED("Outside", "opened", "(Ljava/lang/Object;Ljava/lang/Object;)V"),
    PROPERTY("Outside", "property", "(Ljava/lang/Object;I)V"),
    PROPERTIES("Outside", "properties", "(I)V"),
    ENLARGE("Enlarged", "of", "(J)J");

    final String owner;
    final String method;
    final String descriptor;

    AgentMethod(String owner, String method, String descriptor) {
        this.owner = "parade/agent/" + owner;
        this.method = method;
        this.descriptor = descriptor;
    }

    MethodInsnNode call() {
        return new MethodInsnNode(Opcodes.INVOKESTATIC, owner, method, descriptor, false);
    }

    /** A call whose last argument is a number that is known when the code is woven. */
    InsnList callWith(int number) {
        InsnList added = new InsnList();
        added.add(new LdcInsnNode(number));
        added.add(call());
        return added;
    }
}
