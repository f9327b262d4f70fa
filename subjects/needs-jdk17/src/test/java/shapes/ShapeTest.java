package shapes;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ShapeTest {
    @Test
    public void aSquareIsDrawn() {
        assertEquals("##\n##\n", new Shape.Square(2).drawn());
    }

    @Test
    public void aCircleIsNamed() {
        assertEquals("Circle[radius=3]", new Shape.Circle(3).drawn());
    }
}
