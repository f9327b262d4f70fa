package parade.direct.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import parade.direct.core.Asked;
import parade.direct.core.Wanted;
import parade.listen.Occurrences;
import parade.listen.TestCase;

class SegmentTest {
    /** Takes its children in any order, and notes which it was told to run. */
    private static final class Free extends Node {
        private List<Node> arranged = new ArrayList<>();

        Free(Node... children) {
            for (Node child : children) {
                add(child);
            }
        }

        @Override
        protected boolean isFree() {
            return true;
        }

        @Override
        protected void arrange(List<Node> chosen) {
            arranged = new ArrayList<>(chosen);
        }
    }

    private static Node fixed(Node... children) {
        Node node = new Node.Fixed();
        for (Node child : children) {
            node.add(child);
        }
        return node;
    }

    private static Leaf leaf(String name) {
        return Leaf.ofJUnit4(name + "(a.B)");
    }

    private final Leaf x = leaf("x");
    private final Leaf y = leaf("y");
    private final Leaf z = leaf("z");
    private final Leaf again = leaf("x");

    private static Wanted asked(int number, String name) {
        return Asked.one(number, "junit4", "a.All", "a.B", name);
    }

    private static List<String> texts(List<? extends Node> nodes) {
        return nodes.stream().map(node -> ((Leaf) node).text).collect(Collectors.toList());
    }

    @Test
    void aTestIsReadAsJUnit4OrJUnit3CallsIt() {
        Leaf row = Leaf.ofJUnit4("x[1](a.B)");
        assertEquals("a.B x x[1](a.B)", row.className + " " + row.name + " " + row.text);
        assertEquals(TestCase.WHOLE_CLASS, Leaf.ofJUnit4("a.B").name);
        Leaf old = Leaf.ofJUnit3("x(y)(a.B)");
        assertEquals("a.B x(y)", old.className + " " + old.name);
        assertEquals("unknown", Leaf.ofJUnit3("no brackets").name);
    }

    @Test
    void equalsAreNumberedAsTheyComeInTheTree() {
        Tree tree = new Tree("a.All", fixed(x, fixed(again), y));
        assertEquals(Arrays.asList(x, again, y), tree.leaves);
        assertEquals(x, tree.find(asked(1, "x")));
        assertEquals(again, tree.find(asked(1, "x~2")));
        assertNull(tree.find(asked(1, "x~3")));
        assertNull(tree.find(asked(1, "x~0")));
        assertTrue(again.isWithin(tree.top) && again.isWithin(again) && !again.isWithin(y));
    }

    @Test
    void aFreePartTakesItsTestsInAnyOrderAndEachOnce() {
        Free top = new Free(x, y, z);
        Segment segment = new Segment(new Tree("a.All", top), new Occurrences());
        assertTrue(segment.admit(z, asked(1, "z")) && segment.admit(x, asked(2, "x")));
        assertFalse(segment.admit(z, asked(3, "z")), "a second time is another pass");
        segment.arrange();
        assertEquals(Arrays.asList("z(a.B)", "x(a.B)"), texts(top.arranged));
        assertEquals(Arrays.asList("z(a.B)", "x(a.B)"), texts(segment.expected()));
        segment.release();
        assertEquals(Arrays.asList(x, y, z), top.arranged);
    }

    @Test
    void aFixedPartRunsAsItIsAndNeverBackwards() {
        Segment segment = new Segment(new Tree("a.All", fixed(x, y, z)), new Occurrences());
        assertTrue(segment.admit(y, asked(1, "y")));
        assertFalse(segment.admit(x, asked(2, "x")));
        assertTrue(segment.admit(z, asked(2, "z")));
        segment.arrange();
        assertEquals(Arrays.asList("x(a.B)", "y(a.B)", "z(a.B)"), texts(segment.expected()), "all of it runs");
    }

    @Test
    void aPartThatWasLeftIsNotEnteredAgain() {
        Free first = new Free(x, y);
        Segment segment = new Segment(new Tree("a.All", new Free(first, new Free(z))), new Occurrences());
        assertTrue(segment.admit(x, asked(1, "x")) && segment.admit(z, asked(2, "z")));
        assertFalse(segment.admit(y, asked(3, "y")));
    }

    @Test
    void anEventAnswersTheTestThatItIsAbout() {
        Segment segment = new Segment(new Tree("a.All", new Free(x, y, again)), new Occurrences());
        Wanted first = asked(5, "x~2");
        Wanted second = asked(6, "x");
        segment.admit(again, first);
        segment.admit(x, second);
        segment.arrange();
        TestCase test = segment.identify("x(a.B)");
        assertEquals("a.B x 2 a.All 5",
            test.className + " " + test.name + " " + test.occurrence + " " + test.root + " " + test.answers);
        assertTrue(first.isSettled() && !second.isSettled());
        assertEquals("6", segment.identify("x[changed since](a.B)").answers, "by class and name where the text has changed");
        assertNull(segment.identify("x(a.B)").answers, "nobody asked for a third");
    }

    @Test
    void aPartThatFailsAsAWholeAnswersItsTests() {
        Free part = new Free(x, y);
        part.label("a.B");
        Segment segment = new Segment(new Tree("a.All", new Free(part, new Free(z))), new Occurrences());
        Wanted[] tests = {asked(1, "x"), asked(2, "y"), asked(3, "z")};
        segment.admit(x, tests[0]);
        segment.admit(y, tests[1]);
        segment.admit(z, tests[2]);
        segment.arrange();
        TestCase failed = segment.identify("a.B");
        assertEquals("a.B <class> 1", failed.className + " " + failed.name + " " + failed.occurrence);
        assertTrue(tests[0].isSettled() && tests[1].isSettled() && !tests[2].isSettled());
        assertEquals(2, segment.identify("a.B").occurrence, "a fixture that fails again has another number");
        segment.excuse();
        assertTrue(tests[2].isSettled());
    }
}
