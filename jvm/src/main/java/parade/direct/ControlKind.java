package parade.direct;

import java.util.Locale;

import parade.LineKind;

/** The lines of the control file, in which parade tells the runner what to do. */
enum ControlKind implements LineKind {
    PROPERTY,
    FOLDER,
    ACCESSES,
    TRACE,
    LIST,
    ROOT,
    ORDER,
    TEST,
    GO;

    @Override
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static ControlKind of(String word) {
        for (ControlKind kind : values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("the control file says `" + word + "`");
    }
}
