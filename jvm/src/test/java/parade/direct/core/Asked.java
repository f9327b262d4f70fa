package parade.direct.core;

import java.util.ArrayList;
import java.util.List;

/** Tests as an order asks for them. */
public final class Asked {
    private Asked() {}

    /** Of one class, each as `name` or `name~occurrence`; numbered from 1 on. */
    public static List<Wanted> of(String framework, Class<?> root, String... names) {
        List<Wanted> tests = new ArrayList<>();
        for (String name : names) {
            tests.add(one(tests.size() + 1, framework, root.getName(), root.getName(), name));
        }
        return tests;
    }

    public static Wanted one(int number, String framework, String root, String className, String name) {
        int tilde = name.indexOf('~');
        String plain = tilde < 0 ? name : name.substring(0, tilde);
        String occurrence = tilde < 0 ? "1" : name.substring(tilde + 1);
        return new Wanted(new String[] {"test", Integer.toString(number), framework, root, className, plain, occurrence, ""});
    }
}
