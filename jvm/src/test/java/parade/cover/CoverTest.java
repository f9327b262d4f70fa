package parade.cover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static parade.Protocol.assertWritten;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jacoco.core.internal.data.CRC64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import parade.Compiled;
import parade.Line;
import parade.Protocol;

class CoverTest {
    private static final Compiled CLASSES = new Compiled("a.B",
        "package a;",                                       // 1
        "public class B {",                                 // 2
        "  int m(int x) {",                                 // 3
        "    if (x > 0) {",                                 // 4
        "      return 1;",                                  // 5
        "    }",                                            // 6
        "    return 2;",                                    // 7
        "  }",                                              // 8
        "  Runnable r(java.util.List<String> list) {",      // 9
        "    return () -> {",                               // 10
        "      list.clear();",                              // 11
        "    };",                                           // 12
        "  }",                                              // 13
        "}");

    private static SortedSet<Integer> lines(Integer... lines) {
        return new TreeSet<>(Arrays.asList(lines));
    }

    private static List<String> texts(ProgramClass type) throws Exception {
        return type.lines().stream().map(Protocol::text).collect(Collectors.toList());
    }

    @Test
    void theTableHasEveryKindAndNoOther() {
        assertEquals(Protocol.kinds("answer"), Protocol.words(AnswerLines.Kind.values()));
        assertEquals(Protocol.kinds("question"), Protocol.words(QuestionKind.values()));
        assertEquals(QuestionKind.HITS, QuestionKind.of("hits"));
        assertNull(QuestionKind.of("class"));
    }

    @Test
    void theExamplesOfTheProtocolAreWritten() {
        assertWritten("answer", AnswerLines.Kind.CLASS, AnswerLines.ofClass(0xff, "a/B.java", "a.B"));
        assertWritten("answer", AnswerLines.Kind.METHOD,
            AnswerLines.method(0, "a.B#m(int,java.lang.String)", lines(3, 7, 8, 9), false));
        assertWritten("answer", AnswerLines.Kind.PROBE, AnswerLines.probe(3, 0, lines(7, 8)));
        assertWritten("answer", AnswerLines.Kind.UNREAD, AnswerLines.unread("a/C.class", "java.io.IOException: no class file"));
        assertWritten("answer", AnswerLines.Kind.END, AnswerLines.end());
        assertEquals(Protocol.entry("answer", "method").values("kind"),
            Arrays.asList(Line.parse(Protocol.text(AnswerLines.method(0, "", lines(), false)))[4],
                Line.parse(Protocol.text(AnswerLines.method(0, "", lines(), true)))[4]));
    }

    @Test
    void linesAreWrittenAsRuns() {
        assertEquals("", Ranges.text(lines()));
        assertEquals("5", Ranges.text(lines(5)));
        assertEquals("1-2,4,6-8", Ranges.text(lines(1, 2, 4, 6, 7, 8)));
    }

    @Test
    void everyProbeHasTheMethodThatItIsIn() {
        Probes probes = Probes.of(CLASSES.bytes("a.B"));
        assertEquals("a/B", probes.className);
        List<String> owners = new ArrayList<>();
        for (int probe = 0; probe < probes.count(); probe++) {
            owners.add(probes.owner(probe));
        }
        String lambda = owners.get(owners.size() - 1);
        assertTrue(lambda.startsWith("lambda$r$0("), lambda);
        assertEquals(Arrays.asList("<init>()V", "m(I)I", "m(I)I", "r(Ljava/util/List;)Ljava/lang/Runnable;", lambda), owners);
    }

    @Test
    void methodsHaveTheirLinesAndThoseOfTheirLambdas() throws Exception {
        List<String> texts = texts(new ProgramClass(255, CLASSES.bytes("a.B"), null));
        assertEquals(Arrays.asList("class\tff\ta/B.java\ta.B", "method\t0\ta.B#<init>()\t2\town",
            "method\t1\ta.B#m(int)\t4-5,7\town", "method\t2\ta.B#r(java.util.List)\t10-12\town",
            "method\t3\ta.B#lambda$r$0(java.util.List)\t11-12\tlambda"), texts);
    }

    @Test
    void aLambdaOfAnOverloadedMethodBelongsToTheOneAroundIt() throws Exception {
        Compiled overloaded = new Compiled("a.O",
            "package a;",                                   // 1
            "class O {",                                    // 2
            "  Runnable r() {",                             // 3
            "    return () -> {",                           // 4
            "      hashCode();",                            // 5
            "    };",                                       // 6
            "  }",                                          // 7
            "  Runnable r(int x) {",                        // 8
            "    return null;",                             // 9
            "  }",                                          // 10
            "}");
        List<String> texts = texts(new ProgramClass(1, overloaded.bytes("a.O"), null));
        assertTrue(texts.contains("method\t1\ta.O#r()\t4-6\town"), texts.toString());
        assertTrue(texts.contains("method\t2\ta.O#r(int)\t9\town"), texts.toString());
    }

    /** Probe 1 is before the first return, probe 2 before the second, probe 4 in the lambda. */
    @Test
    void aProbeThatWasHitProvesLines() throws Exception {
        assertEquals(Arrays.asList("probe\t1\t1\t4-5", "probe\t4\t2\t11-12"), probes("01001"));
        assertEquals(Arrays.asList("probe\t1\t1\t4-5", "probe\t2\t1\t4,7"), probes("011"));
        assertEquals(Arrays.asList(), probes("00000"));
    }

    private static List<String> probes(String hits) throws Exception {
        byte[] bytes = CLASSES.bytes("a.B");
        List<String> texts = texts(new ProgramClass(CRC64.classId(bytes), bytes, hits));
        return texts.stream().filter(text -> text.startsWith("probe")).sorted().collect(Collectors.toList());
    }

    @Test
    void anInterfaceWithoutCodeHasNoLines() throws Exception {
        Compiled bare = new Compiled("a.I", "package a;", "interface I { void m(); }");
        assertEquals(0, new ProgramClass(1, bare.bytes("a.I"), null).lines().size());
    }

    @Test
    void anAnalysisReadsFoldersAndEnds(@TempDir Path folder) throws Exception {
        Path classes = Files.createDirectories(folder.resolve("classes/a"));
        Files.write(classes.resolve("B.class"), CLASSES.bytes("a.B"));
        Files.write(classes.resolve("Broken.class"), new byte[] {1, 2, 3});
        Files.write(classes.resolve("readme.txt"), new byte[0]);
        long id = CRC64.classId(CLASSES.bytes("a.B"));
        List<String> asked = Arrays.asList("folder\t" + folder.resolve("classes"), "folder\t" + folder.resolve("missing"),
            "hits\t" + Long.toHexString(id) + "\t00100");
        Path question = Files.write(folder.resolve("question"), asked, StandardCharsets.UTF_8);
        Analysis.main(new String[] {question.toString(), folder.resolve("answer").toString()});
        List<String> answer = Files.readAllLines(folder.resolve("answer"), StandardCharsets.UTF_8);
        assertEquals("class\t" + Long.toHexString(id) + "\ta/B.java\ta.B", answer.get(0));
        assertEquals("end", answer.get(answer.size() - 1));
        assertTrue(answer.stream().anyMatch(line -> line.startsWith("unread\ta/Broken.class\t")), answer.toString());
        assertTrue(answer.contains("probe\t2\t1\t4,7"), answer.toString());
    }
}
