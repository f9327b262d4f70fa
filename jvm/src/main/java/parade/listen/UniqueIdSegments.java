package parade.listen;

import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;

/** A JUnit Platform unique id, {@code [type:value]/[type:value]}, from the innermost engine on. */
public final class UniqueIdSegments {
    public final String engine;
    /** Type and value of each. */
    public final List<String[]> segments;

    private UniqueIdSegments(String engine, List<String[]> segments) {
        this.engine = engine;
        this.segments = segments;
    }

    public static UniqueIdSegments parse(String uniqueId) {
        String engine = "";
        List<String[]> segments = new ArrayList<>();
        String inner = uniqueId.startsWith("[") ? uniqueId.substring(1, Math.max(1, uniqueId.length() - 1)) : uniqueId;
        for (String part : inner.split("]/\\[")) {
            int colon = part.indexOf(':');
            String type = colon < 0 ? part : part.substring(0, colon);
            String value = colon < 0 ? "" : decode(part.substring(colon + 1));
            if (type.equals("engine")) {
                engine = value;
                segments.clear();
            } else {
                segments.add(new String[] {type, value});
            }
        }
        return new UniqueIdSegments(engine, segments);
    }

    String lastValue() {
        return segments.isEmpty() ? "" : segments.get(segments.size() - 1)[1];
    }

    private static String decode(String value) {
        try {
            return URLDecoder.decode(value, "UTF-8");
        } catch (UnsupportedEncodingException | IllegalArgumentException notEncoded) {
            return value;
        }
    }
}
