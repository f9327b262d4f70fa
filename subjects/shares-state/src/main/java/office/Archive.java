package office;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;

/** Letters as files. */
public final class Archive {
    private static final String FOLDER = "target/archive";

    private Archive() {}

    public static void keep(String letter) throws IOException {
        new File(FOLDER).mkdirs();
        try (FileWriter file = new FileWriter(FOLDER + "/" + letter)) {
            file.write("Dear Sir,");
        }
    }

    public static boolean has(String letter) {
        return new File(FOLDER, letter).exists();
    }
}
