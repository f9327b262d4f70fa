package parade.listen;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What JUnit 3 and 4 call a test, taken apart: {@code name[parameters](class)}. */
public final class JUnit4Name {
    private static final Pattern NAME_AND_CLASS = Pattern.compile("([\\s\\S]*)\\(([^()]*)\\)(?:\\[\\d+])?");
    private static final Pattern PARAMETERS =
        Pattern.compile("(\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*) ?[\\[(][\\s\\S]*[\\])]");

    public final String className;
    /** As the framework has it, with the parameters that can change from run to run. */
    public final String full;

    private JUnit4Name(String className, String full) {
        this.className = className;
        this.full = full;
    }

    /** Null where the text does not name a test of a class. */
    public static JUnit4Name parse(String text) {
        Matcher matcher = NAME_AND_CLASS.matcher(text);
        return matcher.matches() ? new JUnit4Name(matcher.group(2), matcher.group(1)) : null;
    }

    /** The name without parameters: they are data and can contain hash codes. */
    public String plain() {
        return plain(full);
    }

    public static String plain(String name) {
        Matcher matcher = PARAMETERS.matcher(name);
        return matcher.matches() ? matcher.group(1) : name;
    }
}
