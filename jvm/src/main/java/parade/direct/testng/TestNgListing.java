package parade.direct.testng;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.testng.annotations.Test;

import parade.direct.core.Events;
import parade.listen.TestCase;

/** The test methods of a TestNG class, by its annotations. */
final class TestNgListing {
    private TestNgListing() {}

    /** A method with parameters does not say beforehand how many tests it makes: it is listed as number 0. */
    static void list(String root, Class<?> type) {
        for (Method method : type.getMethods()) {
            Test own = method.getAnnotation(Test.class);
            boolean byClass = own == null && method.getDeclaringClass().isAnnotationPresent(Test.class)
                && method.getReturnType() == void.class && !Modifier.isStatic(method.getModifiers());
            if (byClass || own != null && own.enabled()) {
                int occurrence = method.getParameterTypes().length == 0 ? 1 : 0;
                Events.listed(root, new TestCase(root, signature(method), occurrence, ""));
            }
        }
    }

    private static String signature(Method method) {
        Class<?>[] types = method.getParameterTypes();
        StringBuilder name = new StringBuilder(method.getName());
        for (int i = 0; i < types.length; i++) {
            name.append(i == 0 ? "(" : ", ").append(types[i].getName());
        }
        return name.append(types.length == 0 ? "" : ")").toString();
    }
}
