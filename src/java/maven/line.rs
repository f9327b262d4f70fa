//! The lines of parade's protocol files: a kind and fields, separated by tabs, percent-escaped.
//!
//! A subject can write into these files too, or die in the middle of a line, so nothing is taken for granted: lines that
//! are not ours are counted and passed over, and no line or file is held in memory beyond its limit.

use std::io::{self, BufRead, Read};

/// The longest line that a listener writes is a fifth of this.
const LINE_LIMIT: u64 = 1 << 20;
/// Of one file; a suite of a million tests needs a quarter.
pub const FILE_LIMIT: u64 = 1 << 30;

/// One line: its kind, and its fields unescaped.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: String,
    fields: Vec<String>,
}

impl Line {
    /// `None` for what is no line of ours.
    pub fn parse(text: &str) -> Option<Line> {
        let mut fields = text.split('\t');
        let kind = fields.next().filter(|kind| !kind.is_empty())?.to_owned();
        Some(Line { kind, fields: fields.map(unescape).collect() })
    }

    pub fn text(&self, index: usize) -> Option<&str> {
        self.fields.get(index).map(String::as_str)
    }

    pub fn number<N: std::str::FromStr>(&self, index: usize) -> Option<N> {
        self.text(index)?.parse().ok()
    }
}

/// Gives every complete line to `each`, which says whether it understood; returns how many were damaged.
pub fn each_line(reader: impl BufRead, mut each: impl FnMut(&Line) -> bool) -> io::Result<usize> {
    let damage = each_line_of_bytes(reader, |bytes| {
        let line = std::str::from_utf8(bytes).ok().and_then(Line::parse);
        line.is_some_and(|line| each(&line))
    })?;
    Ok(damage.lines + usize::from(damage.torn))
}

/// What could not be read of a file of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineDamage {
    pub lines: usize,
    /// Its writer did not live to finish the last line.
    pub torn: bool,
}

/// Gives every complete line to `each`, without its end.
pub fn each_line_of_bytes(mut reader: impl BufRead, mut each: impl FnMut(&[u8]) -> bool) -> io::Result<LineDamage> {
    let (mut damage, mut bytes) = (LineDamage::default(), Vec::new());
    let mut within_overlong = false;
    loop {
        bytes.clear();
        let read = reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(damage);
        }
        let ends = bytes.last() == Some(&b'\n');
        let overlong = read as u64 == LINE_LIMIT && !ends;
        if std::mem::replace(&mut within_overlong, !ends) || overlong {
            damage.lines += 1;
        } else if !ends {
            damage.torn = true;
        } else if !each(&bytes[..bytes.len() - 1]) {
            damage.lines += 1;
        }
    }
}

/// What is not a proper escape stays as it is: better an odd name than a lost test.
fn unescape(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = if byte == b'%' { tail.get(..2).and_then(hexadecimal) } else { None };
        match escaped {
            Some(value) => {
                bytes.push(value);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    // Not left to `from_str_radix` alone, which takes a sign.
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines_of(content: &[u8]) -> (Vec<Line>, usize) {
        let mut lines = Vec::new();
        let damaged = each_line(content, |line| {
            lines.push(Line { kind: line.kind.clone(), fields: line.fields.clone() });
            true
        });
        (lines, damaged.unwrap())
    }

    #[test]
    fn any_character_survives_in_a_field() {
        let (lines, damaged) = lines_of(b"S\t1\ta%09b%0a%00%25\xc3\xa9 \"<b>\"\n");
        assert_eq!((lines[0].kind.as_str(), lines[0].number::<u32>(0), damaged), ("S", Some(1), 0));
        assert_eq!(lines[0].text(1), Some("a\tb\n\0%é \"<b>\""));
    }

    #[test]
    fn what_is_no_proper_escape_stays_as_it_is() {
        let (lines, _) = lines_of(b"S\t%+9\t%zz\t%\t%4\t100%\t%0A%c3%A9\n");
        let fields: Vec<_> = lines[0].fields.iter().map(String::as_str).collect();
        assert_eq!(fields, ["%+9", "%zz", "%", "%4", "100%", "\n\u{e9}"]);
    }

    #[test]
    fn a_last_line_cut_short_is_damage_and_nothing_more() {
        let (lines, damaged) = lines_of(b"S\t1\nF\t1\tpas");
        assert_eq!((lines.len(), damaged), (1, 1));
    }

    #[test]
    fn an_overlong_line_is_passed_over() {
        let mut content = vec![b'x'; 3 << 20];
        content.extend(b"S\t2\nS\t1\n");
        let (lines, damaged) = lines_of(&content);
        assert_eq!((lines.len(), lines[0].number(0)), (1, Some(1u32)), "and its end is not taken for a line");
        assert!(damaged >= 2, "{damaged}");
    }

    proptest! {
        #[test]
        fn no_content_panics(content in proptest::collection::vec(any::<u8>(), 0..400)) {
            lines_of(&content);
        }
    }
}
