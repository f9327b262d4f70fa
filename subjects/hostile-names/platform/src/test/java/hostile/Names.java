package hostile;

/** Names that break whatever pastes them into a command line, a page, a path or an id. */
final class Names {
    static final String[] HOSTILE = {
        "a \"quoted\" 'name'",
        "two\nlines\tand a tab",
        "<script>alert(1)</script>",
        "]]> & <![CDATA[",
        "100% of 5%20s",
        "a#b~2:c",
        "name(with.Parens)",
        "../../etc/passwd",
        "bell\u0007 and \u00e9\ud83d\ude00",
        " "
    };

    private Names() {
    }
}
