package parade.direct.platform;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

import org.junit.platform.engine.UniqueId;

/**
 * The members of a Jupiter class template, such as a parameterized class. Discovery does not list them, because they are
 * created with each invocation. Their ids follow from the annotations.
 */
final class ClassTemplates {
    private static final String API = "org.junit.jupiter.api.";

    private ClassTemplates() {}

    /** The id that a method below a template would have without the invocations; null where there is no such method. */
    static String idWithin(String templateId, String templateClass, String className, String method, ClassLoader loader) {
        UniqueId id = UniqueId.parse(templateId);
        String nested = className.substring(templateClass.length());
        String entered = templateClass;
        try {
            for (String name : nested.isEmpty() ? new String[0] : nested.substring(1).split("\\$")) {
                entered += "$" + name;
                boolean template = isMarked(Class.forName(entered, false, loader), "ClassTemplate");
                id = id.append(template ? "nested-class-template" : "nested-class", name);
            }
            Method found = find(Class.forName(className, false, loader), method);
            return found == null ? null : id.append(kind(found), signature(found)).toString();
        } catch (ClassNotFoundException | LinkageError missing) {
            return null;
        }
    }

    private static Method find(Class<?> type, String wanted) {
        String full = wanted.endsWith(")") ? wanted : wanted + "()";
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (signature(method).equals(full)) {
                    return method;
                }
            }
        }
        return null;
    }

    private static String signature(Method method) {
        StringBuilder text = new StringBuilder(method.getName()).append('(');
        String separator = "";
        for (Class<?> parameter : method.getParameterTypes()) {
            text.append(separator).append(parameter.getName());
            separator = ", ";
        }
        return text.append(')').toString();
    }

    private static String kind(Method method) {
        if (isMarked(method, "TestTemplate")) {
            return "test-template";
        }
        return isMarked(method, "TestFactory") ? "test-factory" : "method";
    }

    private static boolean isMarked(AnnotatedElement element, String marker) {
        return isMarked(element, API + marker, new HashSet<Class<?>>());
    }

    /** Annotations can be annotated in turn. */
    private static boolean isMarked(AnnotatedElement element, String marker, Set<Class<?>> seen) {
        for (Annotation annotation : element.getAnnotations()) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (type.getName().equals(marker) || seen.add(type) && isMarked(type, marker, seen)) {
                return true;
            }
        }
        return false;
    }
}
