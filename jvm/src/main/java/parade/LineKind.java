package parade;

/**
 * What a line of a protocol file is about. Its word is the first field of the line. `protocol.txt` lists every kind with its
 * fields and an example, and both sides of the protocol are tested against that file.
 */
public interface LineKind {
    String word();
}
