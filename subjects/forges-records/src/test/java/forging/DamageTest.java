package forging;

import static org.junit.Assert.fail;

import java.io.File;
import java.io.RandomAccessFile;
import java.util.Arrays;

import org.junit.Test;

/** Each of these fails, and tries to leave no record of it. */
public class DamageTest {
    @Test
    public void removesTheFolder() throws Exception {
        if (Forging.tries("damage")) {
            Forging.script("rm -rf \"$PARADE_EVENTS\" \"${PARADE_EVENTS%/*}\"");
            fail("it removed the folder");
        }
    }

    @Test
    public void cutsTheRecord() throws Exception {
        if (Forging.tries("damage")) {
            for (File record : Forging.descriptors(Forging.process(), "events")) {
                try (RandomAccessFile file = new RandomAccessFile(record, "rw")) {
                    file.setLength(file.length() / 2);
                }
            }
            fail("it cut the record");
        }
    }

    @Test
    public void overwritesTheRecord() throws Exception {
        if (Forging.tries("damage")) {
            for (File record : Forging.descriptors(Forging.process(), "events")) {
                try (RandomAccessFile file = new RandomAccessFile(record, "rw")) {
                    file.seek(Math.min(40, file.length()));
                    file.write("passed\npassed\n".getBytes("UTF-8"));
                }
            }
            fail("it overwrote the record");
        }
    }

    @Test
    public void writesGarbage() throws Exception {
        if (Forging.tries("damage")) {
            Forging.append("\0\1\2\377\n%%%\t\t\t\n\n");
            fail("it wrote garbage");
        }
    }

    @Test
    public void writesAnEndlessLine() throws Exception {
        if (Forging.tries("damage")) {
            char[] many = new char[1 << 20];
            Arrays.fill(many, 'x');
            for (int i = 0; i < 24; i++) {
                Forging.append(new String(many));
            }
            fail("it wrote an endless line");
        }
    }
}
