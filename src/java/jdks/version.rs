//! Versions of Java, old and new: `1.8.0_392` is an 8, `17.0.15` a 17, `22-ea` comes before `22`.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::spec::version_numbers;

/// As the JDK writes it, with the numbers that order it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    text: String,
    numbers: Vec<u32>,
    early_access: bool,
}

impl Version {
    /// `None` where it does not begin with a number.
    pub fn parse(text: &str) -> Option<Version> {
        let numbers = version_numbers(text)?;
        let early_access = text.contains("-ea") || text.contains("-beta") || text.contains("-internal");
        Some(Version { text: text.to_owned(), numbers, early_access })
    }

    pub fn major(&self) -> u32 {
        self.numbers.first().copied().unwrap_or(0)
    }

    /// Does it begin with these numbers?
    pub(super) fn begins_with(&self, wanted: &[u32]) -> bool {
        self.numbers.starts_with(wanted)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let finished = other.early_access.cmp(&self.early_access);
        self.numbers.cmp(&other.numbers).then(finished).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn majors_of_all_ages() {
        let cases = [("1.8.0_392", Some(8)), ("17.0.15", Some(17)), ("22-ea", Some(22)), ("25", Some(25))];
        for (text, expected) in cases {
            assert_eq!(Version::parse(text).map(|version| version.major()), expected, "{text}");
        }
        for text in ["", "x", "1", "-17", "99999999999999999999", "1."] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn newer_is_newer_by_number_and_not_by_letter() {
        let ascending = ["1.8.0_92", "1.8.0_392", "9.0.4", "11.0.2", "17.0.9", "17.0.15", "22-ea", "22", "25.0.1"];
        let mut sorted: Vec<Version> = ascending.iter().rev().map(|text| version(text)).collect();
        sorted.sort();
        let texts: Vec<String> = sorted.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ascending);
    }

    #[test]
    fn a_prefix_is_one_of_numbers() {
        assert!(version("17.0.2").begins_with(&[17]));
        assert!(version("17.0.20").begins_with(&[17, 0]) && !version("17.0.20").begins_with(&[17, 0, 2]));
        assert!(version("1.8.0_392").begins_with(&[8]) && !version("18.0.1").begins_with(&[8]));
    }
}
