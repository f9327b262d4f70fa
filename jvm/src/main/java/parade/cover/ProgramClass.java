package parade.cover;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICoverageVisitor;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;

import parade.Line;

/**
 * One class, as JaCoCo sees it. A line is covered if one of its instructions ran, and an instruction ran if one of certain
 * probes was hit. So it is enough to know what each probe proves by itself. Probes of different methods are analysed
 * together.
 */
final class ProgramClass {
    private final long id;
    private final byte[] content;
    private final boolean[] hit;
    private final Probes probes;
    private final String name;
    private final String source;
    private final Map<String, Method> methods = new LinkedHashMap<>();

    /** `hits` has a character for each probe, `1` for those that any test hit; null where none did. */
    ProgramClass(long id, byte[] content, String hits) throws IOException {
        this.id = id;
        this.content = content;
        probes = Probes.of(content);
        name = probes.className;
        hit = new boolean[probes.count()];
        for (int probe = 0; hits != null && probe < Math.min(hit.length, hits.length()); probe++) {
            hit[probe] = hits.charAt(probe) == '1';
        }
        IClassCoverage whole = analyse(new boolean[hit.length]);
        source = whole == null || whole.getSourceFileName() == null ? null : source(whole);
        if (whole != null) {
            for (IMethodCoverage method : whole.getMethods()) {
                methods.put(key(method.getName(), method.getDesc()), new Method(name, method, methods.size()));
            }
        }
        Method.giveLambdasBack(methods.values());
    }

    List<Line> lines() throws IOException {
        List<Line> lines = new ArrayList<>();
        if (methods.isEmpty()) {
            return lines;
        }
        lines.add(AnswerLines.ofClass(id, source, name.replace('/', '.')));
        for (Method method : methods.values()) {
            lines.add(AnswerLines.method(method.number, method.shown(), method.lines(), method.host != method));
        }
        prove(lines);
        return lines;
    }

    /** The first hit probe of every method, then the second of each, and so on. */
    private void prove(List<Line> lines) throws IOException {
        Map<String, List<Integer>> left = new HashMap<>();
        for (int probe = 0; probe < hit.length; probe++) {
            String owner = probes.owner(probe);
            if (hit[probe] && methods.containsKey(owner)) {
                left.computeIfAbsent(owner, any -> new ArrayList<>()).add(probe);
            }
        }
        for (int round = 0; !left.isEmpty(); round++) {
            int now = round;
            left.values().removeIf(ofMethod -> ofMethod.size() <= now);
            boolean[] chosen = new boolean[hit.length];
            left.values().forEach(ofMethod -> chosen[ofMethod.get(now)] = true);
            IClassCoverage coverage = left.isEmpty() ? null : analyse(chosen);
            for (IMethodCoverage method : coverage == null ? new ArrayList<IMethodCoverage>() : coverage.getMethods()) {
                List<Integer> ofMethod = left.get(key(method.getName(), method.getDesc()));
                if (ofMethod != null && method.getInstructionCounter().getCoveredCount() > 0) {
                    Method host = methods.get(key(method.getName(), method.getDesc())).host;
                    lines.add(AnswerLines.probe(ofMethod.get(now), host.number, Method.coveredLines(method)));
                }
            }
        }
    }

    private IClassCoverage analyse(boolean[] executed) throws IOException {
        ExecutionDataStore store = new ExecutionDataStore();
        store.put(new ExecutionData(id, name, Arrays.copyOf(executed, executed.length)));
        final IClassCoverage[] seen = new IClassCoverage[1];
        new Analyzer(store, new ICoverageVisitor() {
            @Override
            public void visitCoverage(IClassCoverage coverage) {
                seen[0] = coverage;
            }
        }).analyzeClass(content, name);
        return seen[0];
    }

    private static String source(IClassCoverage whole) {
        String folder = whole.getPackageName();
        return folder.isEmpty() ? whole.getSourceFileName() : folder + "/" + whole.getSourceFileName();
    }

    static String key(String method, String descriptor) {
        return method + descriptor;
    }
}
