//! Small turns of phrase that many sentences need.

/// `1 test`, `2 tests`.
pub fn plural(count: usize, noun: &str) -> String {
    counted(count, noun, &format!("{noun}s"))
}

/// `1 class`, `2 classes`: for what is more than an `s` longer.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
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

/// A digest, or the part of one that is enough, for names and keys.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!([plural(1, "test"), plural(0, "test")], ["1 test", "0 tests"]);
        assert_eq!([counted(1, "class", "classes"), counted(2, "class", "classes")], ["1 class", "2 classes"]);
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
