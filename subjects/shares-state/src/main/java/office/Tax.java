package office;

/** Read once, when the class is first used. */
public final class Tax {
    public static final int PERCENT = Integer.getInteger("office.tax", 19);

    private Tax() {}
}
