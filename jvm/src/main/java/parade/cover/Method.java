package parade.cover;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;
import org.objectweb.asm.Type;

/** A method with its executable lines. What the compiler made of a lambda belongs to the method that the lambda is written in. */
final class Method {
    private static final String LAMBDA = "lambda$";

    final int number;
    /** Itself, unless it is a lambda's body. */
    Method host = this;
    private final String className;
    private final String name;
    private final String descriptor;
    private final SortedSet<Integer> lines = new TreeSet<>();

    Method(String className, IMethodCoverage method, int number) {
        this.className = className.replace('/', '.');
        this.number = number;
        name = method.getName();
        descriptor = method.getDesc();
        for (int line = method.getFirstLine(); line > 0 && line <= method.getLastLine(); line++) {
            if (method.getLine(line).getInstructionCounter().getTotalCount() > 0) {
                lines.add(line);
            }
        }
    }

    static SortedSet<Integer> coveredLines(IMethodCoverage method) {
        SortedSet<Integer> covered = new TreeSet<>();
        for (int line = method.getFirstLine(); line > 0 && line <= method.getLastLine(); line++) {
            ICounter instructions = method.getLine(line).getInstructionCounter();
            if (instructions.getCoveredCount() > 0) {
                covered.add(line);
            }
        }
        return covered;
    }

    SortedSet<Integer> lines() {
        return lines;
    }

    /** As in the source, with the types of its parameters. */
    String shown() {
        StringBuilder shown = new StringBuilder(className).append('#').append(name).append('(');
        Type[] parameters = Type.getArgumentTypes(descriptor);
        for (int i = 0; i < parameters.length; i++) {
            shown.append(i == 0 ? "" : ",").append(parameters[i].getClassName());
        }
        return shown.append(')').toString();
    }

    static void giveLambdasBack(Collection<Method> methods) {
        for (Method method : methods) {
            if (method.name.startsWith(LAMBDA)) {
                method.findHost(methods);
            }
        }
        for (Method method : methods) {
            while (method.host != method.host.host) {
                method.host = method.host.host;
            }
            method.host.lines.addAll(method.lines);
        }
    }

    /** javac names the method in the lambda's name; of several with that name, the one that begins last before it. */
    private void findHost(Collection<Method> methods) {
        String written = name.substring(LAMBDA.length(), Math.max(LAMBDA.length(), name.lastIndexOf('$')));
        String hosting = written.equals("new") ? "<init>" : written.equals("static") ? "<clinit>" : written;
        Method best = null;
        for (Method method : methods) {
            boolean before = !method.lines.isEmpty() && !lines.isEmpty() && method.lines.first() <= lines.first();
            if (method.name.equals(hosting) && before && (best == null || best.lines.first() < method.lines.first())) {
                best = method;
            }
        }
        host = best == null ? this : best;
    }
}
