package parade.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

import parade.Compiled;
import parade.agent.Shared;
import parade.agent.Touched;

class WeaverTest {
    private static Set<String> set(String... names) {
        return new TreeSet<>(Arrays.asList(names));
    }

    private static void assertTouched(Touched touched, Set<String> reads, Set<String> writes) {
        assertEquals(reads, WovenClasses.names(touched.reads), "read");
        assertEquals(writes, WovenClasses.names(touched.writes), "written");
    }

    private final WovenClasses fields = WovenClasses.ofProject("w.A",
        "package w;",
        "import java.util.*;",
        "import java.util.concurrent.atomic.*;",
        "class A {",
        "  static int count;",
        "  static String text;",
        "  static final String CONSTANT = String.valueOf(1);",
        "  static final List<String> LIST = new ArrayList<>();",
        "  static final AtomicInteger NUMBER = new AtomicInteger();",
        "  static final UUID UNCHANGING = new UUID(1, 2);",
        "  static int[] array = {1};",
        "  int own;",
        "  static void write() { count = 1; }",
        "  static void read() { text = \"\" + count; }",
        "  static void writeThenRead() { count = 2; int x = count; }",
        "  static void increase() { count++; }",
        "  static void reset() { LIST.clear(); NUMBER.set(3); }",
        "  static void ask() { LIST.size(); NUMBER.get(); LIST.contains(\"x\"); }",
        "  static void add() { LIST.add(\"x\"); }",
        "  static void unchanging() { UNCHANGING.toString(); String x = CONSTANT; }",
        "  static void change() { array[0]++; }",
        "  static void nothing() { new A().own = 5; }",
        "  static void fail() { try { count = Integer.parseInt(text + \"x\"); } catch (NumberFormatException e) { text = null; } }",
        "}");

    @Test
    void staticFieldsAreSeen() throws Exception {
        fields.call("w.A", "nothing");
        assertTouched(fields.call("w.A", "write"), set(), set("w.A.count"));
        assertTouched(fields.call("w.A", "read"), set("w.A.count"), set("w.A.text"));
        assertTouched(fields.call("w.A", "writeThenRead"), set(), set("w.A.count"));
        assertTouched(fields.call("w.A", "increase"), set("w.A.count"), set("w.A.count"));
        assertTouched(fields.call("w.A", "nothing"), set(), set());
    }

    @Test
    void codeWithHandlersStaysValid() throws Exception {
        fields.call("w.A", "nothing");
        assertTouched(fields.call("w.A", "fail"), set("w.A.text"), set("w.A.text"));
    }

    @Test
    void containersAreSeenBehindTheirFields() throws Exception {
        fields.call("w.A", "nothing");
        assertTouched(fields.call("w.A", "reset"), set(), set("w.A.LIST", "w.A.NUMBER"));
        assertTouched(fields.call("w.A", "ask"), set("w.A.LIST", "w.A.NUMBER"), set());
        assertTouched(fields.call("w.A", "add"), set("w.A.LIST"), set("w.A.LIST"));
        assertTouched(fields.call("w.A", "change"), set("w.A.array"), set("w.A.array"));
        assertTouched(fields.call("w.A", "unchanging"), set("w.A.UNCHANGING"), set());
    }

    @Test
    void whatIsBehindReferencesOfLibrariesIsNotSeen() throws Exception {
        Compiled library = new Compiled("w.L", "package w;", "class L {",
            "  static final java.util.List<String> LIST = new java.util.ArrayList<>();",
            "  static int count;", "  static void add() { LIST.add(\"x\"); count = 1; }", "}");
        WovenClasses woven = new WovenClasses(library, false, Weaver.OBSERVERS);
        assertTouched(woven.call("w.L", "add"), set(), set("w.L.count"));
    }

    @Test
    void whatAStaticInitialiserDoesIsItsOwn() throws Exception {
        WovenClasses woven = WovenClasses.ofProject("w.I",
            "package w;",
            "class I {",
            "  static class Source { static int value = 5; static void set() { value = 6; } }",
            "  static class User { static final int COPY = new Object().hashCode() > 0 ? Source.value : 0; static void use() {} }",
            "  static void use() { User.use(); }",
            "}");
        woven.call("w.I$Source", "set");
        Touched first = woven.call("w.I", "use");
        assertTouched(first, set(), set());
        assertEquals(set("w.I$User.<clinit>"), WovenClasses.names(first.uses));
        int user = first.uses.iterator().next();
        assertEquals(set("w.I$Source.value"), WovenClasses.names(Shared.initialReads(user)));
        Touched second = woven.call("w.I", "use");
        assertEquals(set("w.I$User.<clinit>"), WovenClasses.names(second.uses), "also who comes later uses it");
    }

    @Test
    void anInitialiserThatThrowsHasEnded() throws Exception {
        WovenClasses woven = WovenClasses.ofProject("w.T",
            "package w;",
            "class T {",
            "  static int count;",
            "  static class Broken { static int x = Integer.parseInt(\"x\"); }",
            "  static void use() { try { Broken.x++; } catch (ExceptionInInitializerError e) { count = 1; } }",
            "}");
        assertTouched(woven.call("w.T", "use"), set(), set("w.T.count"));
    }

    @Test
    void filesAndPropertiesAreSeen(@TempDir Path folder) throws Exception {
        WovenClasses woven = WovenClasses.ofProject("w.F",
            "package w;",
            "import java.io.*;",
            "import java.nio.file.*;",
            "class F {",
            "  static void write() throws IOException { try (FileWriter w = new FileWriter(\"" + folder + "/a\")) { w.write(1); } }",
            "  static void append() throws IOException { try (FileWriter w = new FileWriter(\"" + folder + "/a\", true)) { w.write(1); } }",
            "  static void read() throws IOException { Files.readAllBytes(Paths.get(\"" + folder + "\", \"a\")); }",
            "  static void list() { new File(\"" + folder + "\").list(); }",
            "  static void copy() throws IOException { Files.copy(Paths.get(\"" + folder + "/a\"), Paths.get(\"" + folder + "/b\")); }",
            "  static void options() throws IOException { Files.write(Paths.get(\"" + folder + "/a\"), new byte[1], StandardOpenOption.APPEND); }",
            "  static void mode() throws IOException { new RandomAccessFile(new File(\"" + folder + "/a\"), \"r\").close(); }",
            "  static void property() { System.setProperty(\"w.x\", \"1\"); Integer.getInteger(\"w.y\"); }",
            "  static void all() { System.getProperties().size(); }",
            "}");
        String a = "file:" + folder + "/a";
        String b = "file:" + folder + "/b";
        String in = "file:" + folder + "/";
        assertTouched(woven.call("w.F", "write"), set(), set(a, in));
        assertTouched(woven.call("w.F", "append"), set(a), set(a, in));
        assertTouched(woven.call("w.F", "read"), set(a), set());
        assertTouched(woven.call("w.F", "list"), set(in), set());
        assertTouched(woven.call("w.F", "copy"), set(a, b), set(b, in));
        assertTouched(woven.call("w.F", "options"), set(a), set(a, in));
        assertTouched(woven.call("w.F", "mode"), set(a), set());
        assertTouched(woven.call("w.F", "property"), set("property:w.y", "properties"), set("property:w.x", "property:*"));
        assertTouched(woven.call("w.F", "all"), set("property:*"), set("properties"));
        assertTrue(Files.exists(folder.resolve("b")), "the calls are made as before");
        System.clearProperty("w.x");
    }

    /** What is observed can grow without the weaver: here by the fields of objects. */
    @Test
    void anotherObserverSeesWhatTheWeaverDoesNotKnow() throws Exception {
        Compiled compiled = new Compiled("w.H", "package w;", "class H {", "  int value;",
            "  static void set() { new H().value = 7; }", "}");
        Observer heap = new Observer() {
            @Override
            public boolean observeInstruction(AbstractInsnNode instruction, WovenMethod method) {
                if (instruction.getOpcode() != Opcodes.PUTFIELD) {
                    return false;
                }
                FieldInsnNode field = (FieldInsnNode) instruction;
                int number = Shared.field("heap:" + field.owner.replace('/', '.'), field.name);
                method.instructions().insertBefore(instruction, AgentMethod.WRITE.callWith(number));
                return true;
            }

            @Override
            public boolean observeMethod(WovenMethod method) {
                return false;
            }
        };
        Touched touched = new WovenClasses(compiled, true, Collections.singletonList(heap)).call("w.H", "set");
        assertTouched(touched, set(), set("heap:w.H.value"));
        assertNull(Weaver.weave(compiled.bytes("w.H"), new Fields(getClass().getClassLoader()), true, Weaver.OBSERVERS),
            "the others have nothing to do there");
    }

    @ParameterizedTest
    @EnumSource(AgentMethod.class)
    void theAgentHasWhatWovenCodeCalls(AgentMethod called) throws Exception {
        boolean found = false;
        for (Method method : Class.forName(called.owner.replace('/', '.')).getMethods()) {
            found |= method.getName().equals(called.method) && Modifier.isStatic(method.getModifiers())
                && Type.getMethodDescriptor(method).equals(called.descriptor);
        }
        assertTrue(found, called.owner + "." + called.method + called.descriptor);
    }

    @Test
    void theScopeLeavesOutTheJdkFrameworksAndOurselves() {
        Scope scope = new Scope("/w");
        for (String name : new String[] {"java/util/List", "org/junit/Test", "org/testng/TestNG", "parade/agent/Shared",
            "org/jacoco/x"}) {
            assertFalse(scope.contains(name), name);
        }
        assertTrue(scope.contains("com/example/A") && scope.contains("javassist/A"));
    }

    @Test
    void aClassIsOfTheProjectWhereItLiesInItsFolder() throws Exception {
        Scope scope = new Scope("/w/project");
        assertTrue(scope.isOfProject(domain("file:/w/project/target/classes/")));
        assertFalse(scope.isOfProject(domain("file:/w/project2/a.jar")));
        assertFalse(scope.isOfProject(domain("http://localhost/a.jar")));
        assertTrue(scope.isOfProject(null), "made while the project ran");
    }

    private static ProtectionDomain domain(String place) throws Exception {
        return new ProtectionDomain(new CodeSource(new URL(place), (Certificate[]) null), null);
    }

    @Test
    void aClassOutsideOfTheScopeOrDefinedAgainStays() {
        Weaver weaver = new Weaver("/w");
        byte[] bytes = new Compiled("w.S", "package w;", "class S { static int x; static void m() { x = 1; } }").bytes("w.S");
        ClassLoader loader = getClass().getClassLoader();
        assertNull(weaver.transform(loader, "java/util/S", null, null, bytes));
        assertNull(weaver.transform(null, "w/S", null, null, bytes));
        assertNull(weaver.transform(loader, "w/S", String.class, null, bytes));
        assertTrue(weaver.transform(loader, "w/S", null, null, bytes).length > bytes.length);
        assertNull(weaver.transform(loader, "w/S", null, null, new byte[] {1}), "no class at all");
    }

    @Test
    void limitsOfJUnit4AreMadeLargerWhereTheyAreRead() throws Exception {
        String name = "org/junit/internal/runners/statements/FailOnTimeout";
        byte[] bytes;
        try (InputStream file = getClass().getClassLoader().getResourceAsStream(name + ".class")) {
            bytes = file.readAllBytes();
        }
        byte[] woven = new Limits("limits").transform(getClass().getClassLoader(), name, null, null, bytes);
        assertEquals(0, enlargements(bytes).size());
        assertTrue(enlargements(woven).contains("getResult"), enlargements(woven).toString());
        assertNull(new Limits("limits").transform(getClass().getClassLoader(), "w/Other", null, null, bytes));
    }

    /** The methods in which a limit is made larger. */
    private static Set<String> enlargements(byte[] bytes) {
        ClassNode type = new ClassNode();
        new ClassReader(bytes).accept(type, 0);
        Set<String> methods = new HashSet<>();
        for (MethodNode method : type.methods) {
            for (AbstractInsnNode each : method.instructions.toArray()) {
                if (each instanceof MethodInsnNode && ((MethodInsnNode) each).owner.equals(AgentMethod.ENLARGE.owner)) {
                    methods.add(method.name);
                }
            }
        }
        return methods;
    }
}
