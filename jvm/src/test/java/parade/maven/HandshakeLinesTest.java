package parade.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static parade.Protocol.assertWritten;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import parade.Protocol;

class HandshakeLinesTest {
    private static final String FILE = "handshake";

    @TempDir
    Path folder;

    @Test
    void theTableHasEveryKindAndNoOther() {
        assertEquals(Protocol.kinds(FILE), Protocol.words(HandshakeLines.Kind.values()));
    }

    @ParameterizedTest
    @EnumSource(HandshakeLines.Kind.class)
    void theExamplesOfTheProtocolAreWritten(HandshakeLines.Kind kind) {
        switch (kind) {
            case HELLO:
                assertWritten(FILE, kind, HandshakeLines.hello("3.9.11", "17.0.1"));
                break;
            case MODULE:
                assertWritten(FILE, kind, HandshakeLines.module("lib", "g:a", "jar"));
                break;
            case DEVIATION:
                assertWritten(FILE, kind, HandshakeLines.deviation("lib", "compiler source 1.5 lifted to 1.7"));
                break;
            case REACHED:
                assertWritten(FILE, kind, HandshakeLines.reached("lib"));
                break;
            case GOAL:
                assertWritten(FILE, kind, HandshakeLines.goal(1, "lib", "maven-surefire-plugin:test@default-test", "3.5.6",
                    Arrays.asList("surefire-junit47", "surefire-testng"), "-Xmx1g", "/r"));
                break;
            case FRAMEWORK:
                assertWritten(FILE, kind, HandshakeLines.framework(1, "junit", "4.13.2"));
                break;
            case COUNTED:
                assertWritten(FILE, kind, HandshakeLines.counted(1, new String[] {"9", "1", "2", "3", "0"}));
                break;
            case UNREVEALED:
                assertWritten(FILE, kind, HandshakeLines.unrevealed(1, "too old"));
                break;
            case LAUNCH:
                part(kind, "/jdk/bin/java", "/w", "-Xmx1g", "true", "false");
                break;
            case PATH:
                part(kind, "/w/classes");
                break;
            case PROGRAM:
                part(kind, "/w/target/classes");
                break;
            case PROPERTY:
                part(kind, "basedir", "/w");
                break;
            case ENVIRONMENT:
                part(kind, "X", "y\tz");
                break;
            case WITHOUT:
                part(kind, "HOME");
                break;
            case SCANNED:
                part(kind, "a.B");
                break;
            case NOTE:
                part(kind, "Maven runs the tests on the module path");
                break;
            case UNFETCHED:
                assertWritten(FILE, kind, HandshakeLines.unfetched("lib", "no network"));
                break;
            case FAILURE:
                assertWritten(FILE, kind, HandshakeLines.failure("no\ngood", null), HandshakeLines.failure("bad", "lib"));
                break;
            case BACKGROUND:
                // Written by `Background`, which has a test of its own.
                assertEquals(1, Protocol.entry(FILE, kind.word()).examples.size());
                break;
            case END:
                assertWritten(FILE, kind, HandshakeLines.end());
                break;
            default:
                throw new AssertionError(kind + " is not tested");
        }
    }

    private static void part(HandshakeLines.Kind kind, String... fields) {
        assertWritten(FILE, kind, HandshakeLines.launchPart(kind, 1, fields));
    }

    @Test
    void linesAreSealedInAFileWithoutAName() throws Exception {
        Path file = Files.createFile(folder.resolve("handshake"));
        try (RandomAccessFile parade = new RandomAccessFile(file.toFile(), "r")) {
            Handshake handshake = new Handshake(file.toFile(), "00000000000000010000000000000002");
            assertFalse(Files.exists(file));
            handshake.deviation("lib", "x");
            handshake.write(HandshakeLines.end());
            byte[] bytes = new byte[(int) parade.length()];
            parade.readFully(bytes);
            String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n");
            assertEquals("1\tdeviation\tlib\tx", lines[0].substring(17));
            assertEquals("2\tend", lines[1].substring(17));
        }
    }
}
