package parade.listen;

import java.util.ArrayList;
import java.util.List;

/**
 * A Jupiter test's identity, from its unique id alone. The class is the one that was entered, with nested classes
 * joined by a dollar sign; the name is the method's, with parameter types where it has any. Every enclosing invocation
 * has an index (class template, dynamic container, test template, dynamic test): the innermost is the occurrence, those
 * around it are appended to the name as {@code /1/2}.
 */
final class JupiterName {
    private JupiterName() {}

    static TestCase of(UniqueIdSegments id, String display) {
        String className = "unknown";
        String method = null;
        List<Integer> indices = new ArrayList<>();
        for (String[] segment : id.segments) {
            String value = segment[1];
            switch (segment[0]) {
                case "class":
                case "class-template":
                    className = value;
                    break;
                case "nested-class":
                case "nested-class-template":
                    className += "$" + value;
                    break;
                case "method":
                case "test-template":
                case "test-factory":
                    method = value.endsWith("()") ? value.substring(0, value.length() - 2) : value;
                    break;
                default:
                    if (value.matches("#\\d{1,9}")) {
                        indices.add(Integer.parseInt(value.substring(1)));
                    }
            }
        }
        StringBuilder name = new StringBuilder(method == null ? TestCase.WHOLE_CLASS : method);
        for (int i = 0; i + 1 < indices.size(); i++) {
            name.append('/').append(indices.get(i));
        }
        int occurrence = indices.isEmpty() ? 1 : Math.max(1, indices.get(indices.size() - 1));
        return new TestCase(className, name.toString(), occurrence, display);
    }
}
