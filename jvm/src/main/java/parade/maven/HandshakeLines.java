package parade.maven;

import java.util.Collection;
import java.util.Locale;

import parade.Line;
import parade.LineKind;

/** The lines of the handshake, in which the extension tells what it saw and changed. */
final class HandshakeLines {
    enum Kind implements LineKind {
        HELLO,
        MODULE,
        DEVIATION,
        REACHED,
        GOAL,
        FRAMEWORK,
        COUNTED,
        UNREVEALED,
        LAUNCH,
        PATH,
        PROGRAM,
        PROPERTY,
        ENVIRONMENT,
        WITHOUT,
        SCANNED,
        NOTE,
        UNFETCHED,
        FAILURE,
        BACKGROUND,
        END;

        @Override
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int VERSION = 1;

    private HandshakeLines() {}

    static Line hello(String maven, String java) {
        return new Line(Kind.HELLO).field(VERSION).field(maven).field(java);
    }

    static Line module(String path, String name, String packaging) {
        return new Line(Kind.MODULE).field(path).field(name).field(packaging);
    }

    /** Something that was changed or overridden in a module. */
    static Line deviation(String module, String text) {
        return new Line(Kind.DEVIATION).field(module).field(text, 4096);
    }

    /** A module got as far as a test goal. */
    static Line reached(String module) {
        return new Line(Kind.REACHED).field(module);
    }

    static Line goal(int number, String module, String goal, String version, Collection<String> providers, String argLine,
        String reports) {
        return new Line(Kind.GOAL).field(number).field(module).field(goal).field(version)
            .field(String.join(",", providers)).field(argLine, 8192).field(reports);
    }

    static Line framework(int goal, String name, String version) {
        return new Line(Kind.FRAMEWORK).field(goal).field(name).field(version);
    }

    /** What Surefire counted: run, failures, errors, skipped, flakes. */
    static Line counted(int goal, String[] counts) {
        return fields(new Line(Kind.COUNTED).field(goal), counts);
    }

    /** Surefire did not tell how it starts the test process of a goal. */
    static Line unrevealed(int goal, String reason) {
        return new Line(Kind.UNREVEALED).field(goal).field(reason, 1024);
    }

    /** A part of how Surefire starts the test process of a goal. */
    static Line launchPart(Kind kind, int goal, String... fields) {
        return fields(new Line(kind).field(goal), fields);
    }

    private static Line fields(Line line, String[] fields) {
        for (String field : fields) {
            line.field(field);
        }
        return line;
    }

    /** A module for which providers of other modes could not be fetched. */
    static Line unfetched(String module, String reason) {
        return new Line(Kind.UNFETCHED).field(module).field(reason);
    }

    /** The module is null where the failure is not of one. */
    static Line failure(String message, String module) {
        Line line = new Line(Kind.FAILURE).field(message, 8192);
        return module == null ? line : line.field(module);
    }

    static Line end() {
        return new Line(Kind.END);
    }
}
