package water;

public final class Spring {
    private Spring() {
    }

    public static int litres(int minutes) {
        return minutes * 30;
    }
}
