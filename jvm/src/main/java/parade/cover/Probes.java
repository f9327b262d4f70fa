package parade.cover;

import java.util.ArrayList;
import java.util.List;

import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.flow.ClassProbesVisitor;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.jacoco.core.internal.instr.InstrSupport;
import org.objectweb.asm.ClassReader;

/** Which probe JaCoCo puts into which method. */
final class Probes extends ClassProbesAdapter {
    final String className;
    private final Visitor visitor;
    private final List<String> owners = new ArrayList<>();

    private Probes(String className, Visitor visitor) {
        super(visitor, false);
        this.className = className;
        this.visitor = visitor;
    }

    static Probes of(byte[] content) {
        ClassReader reader = InstrSupport.classReaderFor(content);
        Probes probes = new Probes(reader.getClassName(), new Visitor());
        reader.accept(probes, 0);
        return probes;
    }

    int count() {
        return owners.size();
    }

    String owner(int probe) {
        return owners.get(probe);
    }

    @Override
    public int nextId() {
        owners.add(visitor.method);
        return super.nextId();
    }

    /** Visits methods for their names alone. */
    private static final class Visitor extends ClassProbesVisitor {
        private String method;

        @Override
        public MethodProbesVisitor visitMethod(int access, String name, String descriptor, String signature,
            String[] exceptions) {
            method = ProgramClass.key(name, descriptor);
            return null;
        }

        @Override
        public void visitTotalProbeCount(int count) {}
    }
}
