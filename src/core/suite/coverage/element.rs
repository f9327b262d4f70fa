//! What a test can cover and a change can touch, as files write it: `a/B.java:12`, `a/B.java:12-15`, `a.B#m(int)`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// Class files count lines no further.
const LAST_LINE: u32 = 65_535;

/// Lines of a source file, or a method.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Element {
    /// A statement is a line; `first` and `last` are the same for a single one.
    Lines { file: String, first: u32, last: u32 },
    /// By any name with a `#` in it, the same wherever the method is meant.
    Method(String),
}

/// Which lines a method has: whoever covers or changes one of them covers or changes the method.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenMethod")]
pub struct MethodLines {
    pub name: String,
    pub file: String,
    pub first: u32,
    pub last: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMethod {
    name: Element,
    lines: Element,
}

impl TryFrom<WrittenMethod> for MethodLines {
    type Error = String;

    fn try_from(written: WrittenMethod) -> Result<Self, Self::Error> {
        match (written.name, written.lines) {
            (Element::Method(name), Element::Lines { file, first, last }) => {
                Ok(MethodLines { name, file, first, last })
            }
            (name, lines) => Err(format!(
                "a method has a `name` such as a.B#m() and `lines` such as a/B.java:12-15, not `{name}` and `{lines}`"
            )),
        }
    }
}

impl FromStr for Element {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains('#') {
            return Ok(Element::Method(text.to_owned()));
        }
        let wrong = || {
            format!(
                "`{text}` is neither a line such as a/B.java:12, nor lines (a/B.java:12-15), nor a method (a.B#m())"
            )
        };
        let (file, lines) = text.rsplit_once(':').filter(|(file, _)| !file.is_empty()).ok_or_else(wrong)?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let line = |text: &str| text.parse().ok().filter(|line| (1..=LAST_LINE).contains(line)).ok_or_else(wrong);
        let (first, last) = (line(first)?, line(last)?);
        if first > last {
            return Err(wrong());
        }
        Ok(Element::Lines { file: file.to_owned(), first, last })
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Method(name) => f.write_str(name),
            Element::Lines { file, first, last } if first == last => write!(f, "{file}:{first}"),
            Element::Lines { file, first, last } => write!(f, "{file}:{first}-{last}"),
        }
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_methods_are_told_apart_and_shown_as_they_are_written() {
        for text in ["a/B.java:12", "a/B.java:12-15", "a.B#m(int)", "odd:name.java:3"] {
            assert_eq!(text.parse::<Element>().unwrap().to_string(), text);
        }
        assert_eq!("a.B#m()".parse(), Ok(Element::Method("a.B#m()".to_owned())));
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for text in ["", "a/B.java", ":12", "a/B.java:0", "a/B.java:70000", "a/B.java:5-4", "a/B.java:x"] {
            let error = text.parse::<Element>().unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }
}
