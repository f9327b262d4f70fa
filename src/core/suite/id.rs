//! How a test is named in every file and every JSON document: `module:pkg.Class#name~2`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wording::brief;

/// A test's identity: where it is declared, and which occurrence of that name it is.
///
/// The occurrence is the framework's own index of the invocation (a parameter set, a repetition, a repeated name in a
/// JUnit 3 suite), counted from 1. Display names are data and never part of the identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestId {
    /// Path of the module below the reactor's root; empty for the root itself.
    pub module: String,
    pub class: String,
    pub name: String,
    pub occurrence: u32,
}

/// A test class in a module: what PASTE's third stage reruns.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId {
    pub module: String,
    pub class: String,
}

/// Why a text is not a test id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseIdError {
    text: String,
    why: &'static str,
}

impl TestId {
    /// The name under which a class itself is on record: its fixture failed, or it was skipped as a whole. The listeners in
    /// `jvm/` write it, and no method can have it.
    pub const WHOLE_CLASS: &'static str = "<class>";

    pub fn new(module: &str, class: &str, name: &str, occurrence: u32) -> Self {
        TestId { module: module.to_owned(), class: class.to_owned(), name: name.to_owned(), occurrence }
    }

    /// Does this stand for a class rather than for one of its tests?
    pub fn is_whole_class(&self) -> bool {
        self.name == Self::WHOLE_CLASS
    }

    pub fn class_id(&self) -> ClassId {
        ClassId { module: self.module.clone(), class: self.class.clone() }
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_class(f, &self.module, &self.class)?;
        write!(f, "#{}", escape(&self.name))?;
        if self.occurrence != 1 {
            write!(f, "~{}", self.occurrence)?;
        }
        Ok(())
    }
}

impl fmt::Display for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_class(f, &self.module, &self.class)
    }
}

fn write_class(f: &mut fmt::Formatter<'_>, module: &str, class: &str) -> fmt::Result {
    if !module.is_empty() {
        write!(f, "{}:", escape(module))?;
    }
    f.write_str(&escape(class))
}

impl FromStr for TestId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = |why| ParseIdError { text: text.to_owned(), why };
        let (class_part, rest) =
            text.split_once('#').ok_or_else(|| fail("there is no `#` between class and test name"))?;
        let (name, occurrence) = match rest.rsplit_once('~') {
            Some((name, number)) => (
                name,
                number
                    .parse()
                    .ok()
                    .filter(|n| *n >= 1)
                    .ok_or_else(|| fail("`~` is not followed by a number of at least 1"))?,
            ),
            None => (rest, 1),
        };
        let (module, class) = class_part.split_once(':').unwrap_or(("", class_part));
        let part = |text| unescape(text).ok_or_else(|| fail("a `%` is not followed by two hexadecimal digits"));
        let id = TestId { module: part(module)?, class: part(class)?, name: part(name)?, occurrence };
        if id.class.is_empty() || id.name.is_empty() {
            return Err(fail("class or test name is empty"));
        }
        Ok(id)
    }
}

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a test id such as `module:pkg.Class#name~2`: {}", brief(&self.text), self.why)
    }
}

impl std::error::Error for ParseIdError {}

impl Serialize for TestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Percent-escapes what would make an id ambiguous or a line unreadable.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ':' | '#' | '~' | '%') || c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                escaped.push_str(&format!("%{byte:02X}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn unescape(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn module_and_first_occurrence_are_left_out() {
        assert_eq!(TestId::new("", "a.B", "c", 1).to_string(), "a.B#c");
        assert_eq!(TestId::new("lib", "a.B", "c", 2).to_string(), "lib:a.B#c~2");
    }

    #[test]
    fn the_listeners_call_a_class_as_we_do() {
        let java = include_str!("../../../jvm/src/main/java/parade/listen/TestCase.java");
        assert!(java.contains(&format!("WHOLE_CLASS = \"{}\";", TestId::WHOLE_CLASS)));
        assert!(TestId::new("", "a.B", TestId::WHOLE_CLASS, 2).is_whole_class());
    }

    #[test]
    fn separators_in_names_are_escaped() {
        let id = TestId::new("m", "a.B", "50% of: a#b~2\n", 1);
        assert_eq!(id.to_string(), "m:a.B#50%25 of%3A a%23b%7E2%0A");
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn what_is_no_id_says_why() {
        for (text, why) in
            [("a.B", "no `#`"), ("a.B#c~0", "`~`"), ("a.B#c~x", "`~`"), ("a.B#%4", "`%`"), ("#c", "empty")]
        {
            let error = text.parse::<TestId>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_id_survives_the_round_trip(module in ".*", class in ".+", name in ".+", occurrence in 1u32..) {
            let id = TestId { module, class, name, occurrence };
            prop_assert_eq!(id.to_string().parse::<TestId>(), Ok(id));
        }
    }
}
