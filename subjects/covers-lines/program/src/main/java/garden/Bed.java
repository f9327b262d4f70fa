package garden;

import java.util.function.IntUnaryOperator;

/** The words at the ends of lines are what the tests of parade call these lines. */
public class Bed {
    private static int beds;
    private int plants = seedlings(); // field

    public Bed() {
        beds++; // planted
    }

    public Bed(int plants) {
        this.plants = plants; // given
    }

    private static int seedlings() {
        return 1; // seedlings
    }

    public static void dig() {
        beds = 0; // dug
    }

    public static void rake() {
        beds = -1; // raked
    }

    public static void compost() {
        beds++; // composted
    }

    public int water(int litres) {
        if (litres > 3) { // asked
            return 0; // flooded
        }
        return plants; // watered
    }

    public int grow() {
        IntUnaryOperator twice = n -> {
            return 2 * n; // grown
        };
        return twice.applyAsInt(plants); // growing
    }

    public static void leave() {
        System.exit(beds < 0 ? 4 : 3); // left
    }

    public void neglect() {
        plants = 0; // neglected
    }
}
