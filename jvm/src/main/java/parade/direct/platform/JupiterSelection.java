package parade.direct.platform;

import java.util.ArrayList;
import java.util.List;

import parade.direct.core.Wanted;

/** Selects the invocation of a Jupiter test that a name with indices ({@code method/1/2}) and an occurrence stand for. */
final class JupiterSelection {
    final String method;
    /** From outside in. */
    private final List<Integer> indices = new ArrayList<>();

    JupiterSelection(String name, int occurrence) {
        int end = name.length();
        for (int slash = indexAt(name, end); slash >= 0; slash = indexAt(name, end)) {
            indices.add(0, Integer.parseInt(name.substring(slash + 1, end)));
            end = slash;
        }
        method = name.substring(0, end);
        indices.add(occurrence);
    }

    /** The position of the slash before a number that ends here, or -1. */
    private static int indexAt(String name, int end) {
        int start = end;
        while (start > 0 && Character.isDigit(name.charAt(start - 1))) {
            start--;
        }
        boolean isIndex = start < end && end - start < 10 && start > 0 && name.charAt(start - 1) == '/';
        return isIndex ? start - 1 : -1;
    }

    /** Adds the invocations to the id of the method, template or factory. Returns null if the indices do not fit it. */
    PlatformTest of(Wanted wanted, String staticId) {
        StringBuilder id = new StringBuilder();
        int used = 0;
        boolean hidden = false;
        String[] parts = staticId.split("/(?=\\[)");
        String type = "";
        for (String part : parts) {
            type = part.substring(1, part.indexOf(':'));
            id.append(id.length() == 0 ? "" : "/").append(part);
            if (type.endsWith("class-template") && used < indices.size()) {
                id.append("/[class-template-invocation:#").append(indices.get(used++)).append(']');
                hidden = true;
            }
        }
        if (type.equals("test-template") && used + 1 == indices.size()) {
            id.append("/[test-template-invocation:#").append(indices.get(used++)).append(']');
        }
        while (type.equals("test-factory") && used < indices.size()) {
            String kind = used + 1 == indices.size() ? "dynamic-test" : "dynamic-container";
            id.append("/[").append(kind).append(":#").append(indices.get(used++)).append(']');
        }
        boolean plain = type.equals("method") && used == 0 && wanted.occurrence == 1 && indices.size() == 1;
        if (used < indices.size() && !plain) {
            return null;
        }
        return new PlatformTest(wanted, staticId, id.toString(), plain ? new int[0] : array(), hidden);
    }

    private int[] array() {
        int[] array = new int[indices.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = indices.get(i);
        }
        return array;
    }
}
