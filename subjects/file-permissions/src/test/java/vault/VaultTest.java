package vault;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What nobody may read cannot be read: true for everyone but root. */
public class VaultTest {
    private Path folder;

    @Before
    public void makeAFolderInTheBuild() throws IOException {
        folder = Files.createTempDirectory(new File("target").toPath(), "vault");
    }

    @After
    public void removeIt() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        for (File file : folder.toFile().listFiles()) {
            Files.delete(file.toPath());
        }
        Files.delete(folder);
    }

    @Test
    public void aClosedFileCannotBeRead() throws IOException {
        Path file = Files.write(folder.resolve("secret"), new byte[] {1});
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assertThrows(AccessDeniedException.class, () -> Files.readAllBytes(file));
    }

    @Test
    public void aClosedFolderTakesNothing() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-x------"));
        assertFalse(folder.toFile().canWrite());
    }

    @Test
    public void anOpenFileCanBeRead() throws IOException {
        Files.readAllBytes(Files.write(folder.resolve("note"), new byte[] {1}));
    }
}
