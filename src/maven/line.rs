//! The lines of parade's protocol files: a kind and fields, separated by tabs, percent-escaped.
//!
//! A subject can write into these files too, or die in the middle of a line, so nothing is taken for granted: lines that
//! are not ours are counted and passed over, and no line or file is held in memory beyond its limit.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::Path;

use miette::miette;

/// The longest line that a listener writes is a fifth of this.
const LINE_LIMIT: u64 = 1 << 20;
/// Of one file; a suite of a million tests needs a quarter.
const FILE_LIMIT: u64 = 1 << 30;

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

/// Reads a file of lines with a function that goes through them, such as [`each_line`].
pub fn read_lines<T>(path: &Path, read: impl FnOnce(BufReader<Take<File>>) -> io::Result<T>) -> miette::Result<T> {
    let file = File::open(path).map(|file| BufReader::new(file.take(FILE_LIMIT)));
    file.and_then(read).map_err(|error| miette!("{} cannot be read: {error}", path.display()))
}

/// Gives every complete line to `each`, which says whether it understood; returns how many were damaged.
pub fn each_line(mut reader: impl BufRead, mut each: impl FnMut(&Line) -> bool) -> io::Result<usize> {
    let (mut damaged, mut bytes) = (0, Vec::new());
    let mut within_overlong = false;
    loop {
        bytes.clear();
        if reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(damaged);
        }
        // Neither a piece of an overlong line nor one that its writer did not live to finish.
        let ends = bytes.pop() == Some(b'\n');
        if std::mem::replace(&mut within_overlong, !ends) || !ends {
            damaged += 1;
            continue;
        }
        let line = std::str::from_utf8(&bytes).ok().and_then(Line::parse);
        if !line.is_some_and(|line| each(&line)) {
            damaged += 1;
        }
    }
}

/// The beginning of a text, at most so many bytes, whole characters.
pub fn cut(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
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
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
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

    #[test]
    fn a_cut_keeps_characters_whole() {
        assert_eq!([cut("aé", 2), cut("aé", 3), cut("aé", 9), cut("", 1)], ["a", "aé", "aé", ""]);
    }

    proptest! {
        #[test]
        fn no_content_panics(content in proptest::collection::vec(any::<u8>(), 0..400)) {
            lines_of(&content);
        }
    }
}
