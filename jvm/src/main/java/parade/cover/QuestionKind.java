package parade.cover;

import java.util.Locale;

import parade.LineKind;

/** The lines that the analysis of coverage is asked with. */
enum QuestionKind implements LineKind {
    FOLDER,
    HITS;

    @Override
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Null for a word that it does not know. */
    static QuestionKind of(String word) {
        for (QuestionKind kind : values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        return null;
    }
}
