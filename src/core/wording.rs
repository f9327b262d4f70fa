//! Small turns of phrase that many sentences need.

/// What must be known of times that a model suite gave.
pub const VIRTUAL_TIME: &str = "times are computed from model suites; nothing was measured";

/// `1 test`, `2 tests`.
pub fn plural(count: usize, noun: &str) -> String {
    counted(count, noun, &format!("{noun}s"))
}

/// `1 class`, `2 classes`: for what is more than an `s` longer.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `5 repetitions`, `3 to 6 repetitions`.
pub fn ranged(fewest: usize, most: usize, noun: &str) -> String {
    if fewest == most { plural(most, noun) } else { format!("{fewest} to {}", plural(most, noun)) }
}

/// A name of anyone's inside a message: on one line, and no longer than a name should be.
pub fn brief(text: &str) -> String {
    cut(text, 80)
}

/// A text on one line, of so many characters at most.
pub fn cut(text: &str, longest: usize) -> String {
    let mut shown: String = text.chars().take(longest).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    shown
}

/// The first line of what a test failed of: enough to know it again, on one line.
pub fn first_line(message: &str) -> String {
    const LONGEST: usize = 300;
    let line = message.lines().map(str::trim).find(|line| !line.is_empty());
    cut(line.unwrap_or_default(), LONGEST)
}

/// A digest, or the part of one that is enough, for names and keys.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The beginning of a text, at most so many bytes, whole characters.
pub fn first_bytes(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

/// A word of a command line that a shell takes as one.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_characters_whole() {
        let cut = [first_bytes("aé", 2), first_bytes("aé", 3), first_bytes("aé", 9), first_bytes("", 1)];
        assert_eq!(cut, ["a", "aé", "aé", ""]);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!([plural(1, "test"), plural(0, "test")], ["1 test", "0 tests"]);
        assert_eq!([counted(1, "class", "classes"), counted(2, "class", "classes")], ["1 class", "2 classes"]);
    }

    #[test]
    fn a_range_of_one_number_is_that_number() {
        assert_eq!([ranged(1, 1, "run"), ranged(3, 6, "run")], ["1 run", "3 to 6 runs"]);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(brief("a\nb"), "a b");
        assert_eq!(brief(&"ä".repeat(200_000)).chars().count(), 81);
    }

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
    }
}
