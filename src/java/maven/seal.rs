//! Lines that only who has the key can have written: each carries its number and a keyed hash of itself.
//!
//! The keyed hash is SipHash-2-4, as in `parade.Seal` of the Java helper. Tests run in the process that has the key, so a seal
//! keeps out everything but code that looks for the key in that process' memory. That cannot be prevented here: the counts of
//! Surefire are held against the records too.

use std::fs::File;
use std::io::Read;

use miette::miette;

/// The key of one protocol file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealKey {
    k0: u64,
    k1: u64,
}

/// What of a sealed file was not as its writer left it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SealDamage {
    /// Lines that the writer did not write: without its seal, or unreadable.
    pub foreign: usize,
    /// Lines of the writer that came again.
    pub repeated: usize,
    /// Lines of the writer that are not there, though later ones are.
    pub missing: u64,
}

/// Takes the seals off the lines of one file.
#[derive(Debug)]
pub struct SealedLines {
    key: SealKey,
    last: u64,
    damage: SealDamage,
}

impl SealKey {
    pub fn random() -> miette::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")
            .and_then(|mut source| source.read_exact(&mut bytes))
            .map_err(|error| miette!("/dev/urandom cannot be read: {error}"))?;
        let (k0, k1) = bytes.split_at(8);
        Ok(SealKey { k0: word(k0), k1: word(k1) })
    }

    /// As the writer is told it.
    pub fn to_hex(self) -> String {
        format!("{:016x}{:016x}", self.k0, self.k1)
    }

    #[cfg(test)]
    pub fn of(k0: u64, k1: u64) -> Self {
        SealKey { k0, k1 }
    }

    /// What a writer makes of a text of whole lines.
    #[cfg(test)]
    pub fn seal(self, from: u64, text: &str) -> String {
        let mut sealed = String::new();
        for (number, line) in (from..).zip(text.split_inclusive('\n')) {
            let numbered = format!("{number}\t{line}");
            sealed += &format!("{:016x}\t{numbered}", self.hash(numbered.trim_end_matches('\n').as_bytes()));
        }
        sealed
    }

    fn hash(self, bytes: &[u8]) -> u64 {
        let mut state = SipState::new(self);
        let (words, rest) = bytes.as_chunks::<8>();
        for bytes in words {
            state.take(u64::from_le_bytes(*bytes));
        }
        state.take(word(rest) | (bytes.len() as u64) << 56);
        state.end()
    }
}

impl SealDamage {
    pub fn is_none(&self) -> bool {
        *self == SealDamage::default()
    }

    pub fn add(&mut self, other: SealDamage) {
        self.foreign += other.foreign;
        self.repeated += other.repeated;
        self.missing = self.missing.saturating_add(other.missing);
    }
}

impl SealedLines {
    pub fn new(key: SealKey) -> Self {
        SealedLines { key, last: 0, damage: SealDamage::default() }
    }

    /// The line inside a sealed one; `None` for what its writer did not write here.
    pub fn open<'a>(&mut self, sealed: &'a [u8]) -> Option<&'a str> {
        let Some((number, line)) = self.unsealed(sealed) else {
            self.damage.foreign += 1;
            return None;
        };
        if number <= self.last {
            self.damage.repeated += 1;
            return None;
        }
        self.damage.missing = self.damage.missing.saturating_add(number - self.last - 1);
        self.last = number;
        Some(line)
    }

    /// Counts what is no line at all.
    pub fn note_unreadable(&mut self, count: usize) {
        self.damage.foreign += count;
    }

    pub fn damage(&self) -> SealDamage {
        self.damage
    }

    fn unsealed<'a>(&self, sealed: &'a [u8]) -> Option<(u64, &'a str)> {
        let (digits, rest) = sealed.split_at_checked(16)?;
        let numbered = rest.strip_prefix(b"\t")?;
        let seal = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        if seal != self.key.hash(numbered) {
            return None;
        }
        let (number, line) = std::str::from_utf8(numbered).ok()?.split_once('\t')?;
        Some((number.parse().ok()?, line))
    }
}

/// Up to eight bytes as a number, the lowest first.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

struct SipState([u64; 4]);

impl SipState {
    fn new(key: SealKey) -> Self {
        SipState([
            key.k0 ^ 0x736f_6d65_7073_6575,
            key.k1 ^ 0x646f_7261_6e64_6f6d,
            key.k0 ^ 0x6c79_6765_6e65_7261,
            key.k1 ^ 0x7465_6462_7974_6573,
        ])
    }

    fn take(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.round();
        self.0[0] ^= word;
    }

    fn end(mut self) -> u64 {
        self.0[2] ^= 0xff;
        for _ in 0..4 {
            self.round();
        }
        self.0.iter().fold(0, |hash, part| hash ^ part)
    }

    fn round(&mut self) {
        let [mut v0, mut v1, mut v2, mut v3] = self.0;
        v0 = v0.wrapping_add(v1);
        v1 = v1.rotate_left(13) ^ v0;
        v0 = v0.rotate_left(32);
        v2 = v2.wrapping_add(v3);
        v3 = v3.rotate_left(16) ^ v2;
        v0 = v0.wrapping_add(v3);
        v3 = v3.rotate_left(21) ^ v0;
        v2 = v2.wrapping_add(v1);
        v1 = v1.rotate_left(17) ^ v2;
        v2 = v2.rotate_left(32);
        self.0 = [v0, v1, v2, v3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the reference vectors: bytes 00 to 0f.
    fn reference_key() -> SealKey {
        SealKey::of(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    }

    #[test]
    fn the_hash_is_siphash_as_its_authors_published_it() {
        let message: Vec<u8> = (0..15).collect();
        assert_eq!(reference_key().hash(&message), 0xa129_ca61_49be_45e5);
        assert_eq!(reference_key().hash(&[]), 0x726f_db47_dd0e_0e31);
    }

    fn opened(lines: &[String]) -> (Vec<String>, SealDamage) {
        let mut seals = SealedLines::new(reference_key());
        let open = |line: &String| seals.open(line.trim_end_matches('\n').as_bytes()).map(str::to_owned);
        let read = lines.iter().filter_map(open).collect();
        (read, seals.damage())
    }

    fn sealed(count: u64) -> Vec<String> {
        (1..=count).map(|number| reference_key().seal(number, &format!("S\t{number}\n"))).collect()
    }

    #[test]
    fn lines_of_the_writer_are_read_in_their_order() {
        assert_eq!(opened(&sealed(2)), (vec!["S\t1".to_owned(), "S\t2".to_owned()], SealDamage::default()));
    }

    #[test]
    fn a_line_of_somebody_else_is_foreign_whatever_it_says() {
        let mut lines = sealed(1);
        let other = SealKey::of(1, 2).seal(2, "F\t1\n");
        lines.extend([other, "F\t1\t0\t0\tpassed\t".to_owned(), String::new(), "\u{0}".repeat(40)]);
        let (read, damage) = opened(&lines);
        assert_eq!((read.len(), damage), (1, SealDamage { foreign: 4, ..SealDamage::default() }));
    }

    #[test]
    fn what_is_copied_taken_out_or_changed_is_seen() {
        let lines = sealed(4);
        let copied = [&lines[..], &lines[1..2]].concat();
        assert_eq!(opened(&copied).1, SealDamage { repeated: 1, ..SealDamage::default() });
        let without = [&lines[..1], &lines[3..]].concat();
        assert_eq!(opened(&without).1, SealDamage { missing: 2, ..SealDamage::default() });
        let changed = lines[3].replace("S\t4", "S\t5");
        assert_eq!(opened(&[changed]).1.foreign, 1);
        let swapped = [lines[1].clone(), lines[0].clone()];
        assert_eq!(opened(&swapped).1, SealDamage { repeated: 1, missing: 1, foreign: 0 });
    }

    #[test]
    fn the_example_of_the_protocol_is_sealed_and_opened() {
        let example = crate::maven::protocol::table::lines_of("seal", "-");
        let key = SealKey::of(1, 2);
        assert_eq!(key.seal(1, "S\t1\n"), example);
        assert_eq!(SealedLines::new(key).open(example.trim_end_matches('\n').as_bytes()), Some("S\t1"));
    }

    #[test]
    fn keys_differ() {
        assert_ne!(SealKey::random().unwrap(), SealKey::random().unwrap());
        assert_eq!(SealKey::of(1, 2).to_hex(), "00000000000000010000000000000002");
    }
}
