package parade.cover;

import java.util.SortedSet;

import parade.Line;
import parade.LineKind;

/** The lines in which the analysis of coverage answers. */
final class AnswerLines {
    enum Kind implements LineKind {
        CLASS("class"),
        METHOD("method"),
        PROBE("probe"),
        UNREAD("unread"),
        END("end");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        @Override
        public String word() {
            return word;
        }
    }

    private static final int REASON_LIMIT = 1024;

    private AnswerLines() {}

    /** The methods and probes that follow are of this class. A source of null is not known. */
    static Line ofClass(long id, String source, String name) {
        return new Line(Kind.CLASS).field(Long.toHexString(id)).field(source).field(name);
    }

    static Line method(int number, String shown, SortedSet<Integer> lines, boolean lambda) {
        return new Line(Kind.METHOD).field(number).field(shown).field(Ranges.text(lines)).field(lambda ? "lambda" : "own");
    }

    /** What has run if a probe was hit. */
    static Line probe(int probe, int method, SortedSet<Integer> lines) {
        return new Line(Kind.PROBE).field(probe).field(method).field(Ranges.text(lines));
    }

    static Line unread(String file, String reason) {
        return new Line(Kind.UNREAD).field(file).field(reason, REASON_LIMIT);
    }

    static Line end() {
        return new Line(Kind.END);
    }
}
