package parade.maven;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls private methods of Surefire by name, as only Surefire knows how it would start a process. */
final class Calls {
    private Calls() {}

    static Object call(Object target, String name, Object... arguments) throws ReflectiveOperationException {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                    method.setAccessible(true);
                    return invoke(method, target, arguments);
                }
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static Object invoke(Method method, Object target, Object... arguments) throws ReflectiveOperationException {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw new ReflectiveOperationException(String.valueOf(thrown.getCause()), thrown.getCause());
        }
    }
}
