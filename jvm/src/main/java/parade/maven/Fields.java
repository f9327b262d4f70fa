package parade.maven;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The configured fields of a goal. There is no other way in: what a pom sets wins over the command line. */
final class Fields {
    private final Object goal;

    Fields(Object goal) {
        this.goal = goal;
    }

    /** Null where there is no such field, or nothing in it. */
    Object get(String name) {
        Field field = find(name);
        try {
            return field == null ? null : field.get(goal);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Null where there is no such field. */
    Class<?> type(String name) {
        Field field = find(name);
        return field == null ? null : field.getType();
    }

    /** Returns false where this version of the plugin has no such field. */
    boolean set(String name, Object value) {
        Field field = find(name);
        if (field == null) {
            return false;
        }
        try {
            field.set(goal, fit(value, field.getType()));
            return true;
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Lists and arrays alike, as versions differ. */
    List<String> getList(String name) {
        Object value = get(name);
        List<String> list = new ArrayList<>();
        if (value instanceof String[]) {
            list.addAll(Arrays.asList((String[]) value));
        } else if (value instanceof List) {
            ((List<?>) value).forEach(item -> list.add(String.valueOf(item)));
        }
        return list;
    }

    private static Object fit(Object value, Class<?> type) {
        if (value instanceof List && type.isArray()) {
            return ((List<?>) value).toArray(new String[0]);
        }
        if (value instanceof String && type == int.class) {
            return Integer.parseInt((String) value);
        }
        return value;
    }

    private Field find(String name) {
        for (Class<?> type = goal.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException inAParent) {
                continue;
            }
        }
        return null;
    }
}
