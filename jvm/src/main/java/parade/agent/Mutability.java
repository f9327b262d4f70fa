package parade.agent;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Can an object change? The fields of its class decide: an object with only final fields of unchanging types cannot. Loggers
 * count as unchanging although they are not, because nearly every class has one.
 */
final class Mutability {
    private static final int DEPTH = 4;
    /** Types whose objects never change, apart from what they cache. */
    private static final Set<String> UNCHANGING = new HashSet<>(Arrays.asList(
        "java.lang.String", "java.lang.Boolean", "java.lang.Character", "java.lang.Byte", "java.lang.Short",
        "java.lang.Integer", "java.lang.Long", "java.lang.Float", "java.lang.Double", "java.lang.Class", "java.lang.Enum",
        "java.lang.Object", "java.lang.Record", "java.lang.Module", "java.lang.reflect.Method", "java.lang.reflect.Field",
        "java.lang.reflect.Constructor", "java.lang.invoke.MethodHandle", "java.lang.invoke.MethodHandles$Lookup",
        "java.lang.invoke.MethodType", "java.lang.invoke.VarHandle", "java.math.BigInteger", "java.math.BigDecimal",
        "java.math.MathContext", "java.net.URI", "java.net.URL", "java.nio.charset.Charset", "java.nio.file.Path",
        "java.io.File", "java.util.Locale", "java.util.UUID", "java.util.Currency", "java.util.regex.Pattern",
        "java.util.logging.Logger", "java.util.logging.Level", "org.slf4j.Logger", "org.apache.log4j.Logger",
        "org.apache.logging.log4j.Logger", "org.apache.commons.logging.Log", "org.jboss.logging.Logger"));
    private static final String[] UNCHANGING_FAMILIES = {
        "java.time.", "java.util.Collections$Empty", "java.util.Collections$Singleton", "java.util.Collections$Unmodifiable",
        "java.util.ImmutableCollections", "java.util.Collections$ReverseComparator", "com.google.common.collect.Immutable",
    };
    private static final ClassValue<Boolean> KNOWN = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isMutable(type, DEPTH);
        }
    };

    private Mutability() {}

    static boolean isMutable(Object value) {
        if (value == null) {
            return false;
        }
        Class<?> type = value.getClass();
        return type.isArray() ? Array.getLength(value) > 0 : KNOWN.get(type);
    }

    private static boolean isMutable(Class<?> type, int depth) {
        if (type.isPrimitive() || isUnchanging(type)) {
            return false;
        }
        // The value of a thread-local is in no field of it.
        if (depth == 0 || type.isArray() || type.isInterface() || ThreadLocal.class.isAssignableFrom(type)) {
            return true;
        }
        try {
            for (Class<?> each = type; each != null && !isUnchanging(each); each = each.getSuperclass()) {
                if (hasMutableField(each, depth)) {
                    return true;
                }
            }
            return false;
        } catch (LinkageError | RuntimeException unreadable) {
            return true;
        }
    }

    private static boolean hasMutableField(Class<?> type, int depth) {
        for (Field field : type.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            if (Modifier.isStatic(modifiers)) {
                continue;
            }
            // An `Object` can be anything.
            boolean vague = field.getType() == Object.class;
            if (!Modifier.isFinal(modifiers) || vague || isMutable(field.getType(), depth - 1)) {
                return true;
            }
        }
        return false;
    }

    /** By its own name or that of anything above it, the common ancestors apart. */
    private static boolean isUnchanging(Class<?> type) {
        if (UNCHANGING.contains(type.getName()) || isOfFamily(type.getName())) {
            return true;
        }
        for (Class<?> each : type.getInterfaces()) {
            if (isUnchanging(each)) {
                return true;
            }
        }
        Class<?> above = type.getSuperclass();
        boolean common = above == null || above == Object.class || above == Enum.class
            || above.getName().equals("java.lang.Record");
        return !common && isUnchanging(above);
    }

    private static boolean isOfFamily(String name) {
        for (String family : UNCHANGING_FAMILIES) {
            if (name.startsWith(family)) {
                return true;
            }
        }
        return false;
    }
}
