//! Cells of CSV files that a spreadsheet cannot take for formulas. Every CSV file that parade writes goes through here.
//!
//! A text that begins with `=`, `+`, `-`, `@`, a tab or a line break gets an apostrophe in front; numbers stay numbers. A text that has
//! apostrophes before such a character gets one more, so that taking one away always gives the text back.
//!
//! Characters that a terminal would obey or not show are written out, e.g. as `\u{1b}`, because people print such files.

use std::borrow::Cow;

use miette::IntoDiagnostic;
use serde::Serialize;

use crate::shown_text::is_invisible;

/// Begins a character that is written out.
const ESCAPE: &str = "\\u{";

/// The cell as it is written.
pub fn written(text: &str) -> Cow<'_, str> {
    let visible = escaped(text);
    if is_dangerous(text) && text.parse::<f64>().is_err() { Cow::Owned(format!("'{visible}")) } else { visible }
}

/// The text of a cell that was written so.
pub fn read(cell: &str) -> Cow<'_, str> {
    match unescaped(cell) {
        Cow::Borrowed(cell) => Cow::Borrowed(without_apostrophe(cell)),
        Cow::Owned(cell) => Cow::Owned(without_apostrophe(&cell).to_owned()),
    }
}

fn without_apostrophe(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_dangerous(text) => text,
        _ => cell,
    }
}

/// What a terminal would obey, or not show. Line breaks and tabs are part of ordinary cells.
fn is_escaped(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\n' | '\t')
}

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_escaped) && !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match is_escaped(c) || text[at..].starts_with(ESCAPE) {
            true => visible.push_str(&format!("{ESCAPE}{:x}}}", u32::from(c))),
            false => visible.push(c),
        }
    }
    Cow::Owned(visible)
}

/// Only what is escaped here: in files of others, such a sequence stays as it is.
fn unescaped(cell: &str) -> Cow<'_, str> {
    if !cell.contains(ESCAPE) {
        return Cow::Borrowed(cell);
    }
    let (mut text, mut rest) = (String::with_capacity(cell.len()), cell);
    while let Some(at) = rest.find(ESCAPE) {
        text.push_str(&rest[..at]);
        let (c, length) = first_escape(&rest[at..]).unwrap_or(('\\', 1));
        text.push(c);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character that a text begins with as an escape, and the length of the escape.
fn first_escape(text: &str) -> Option<(char, usize)> {
    let (digits, _) = text.strip_prefix(ESCAPE)?.split_once('}')?;
    let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
    (is_escaped(c) || c == '\\').then_some((c, ESCAPE.len() + digits.len() + 1))
}

/// Would a spreadsheet compute it? Apostrophes before it are looked through.
fn is_dangerous(text: &str) -> bool {
    let first = text.trim_start_matches('\'').chars().next();
    matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠'))
}

/// Records of texts, with the heads first.
pub fn of_records<H, R, C>(heads: H, records: R) -> miette::Result<Vec<u8>>
where
    H: IntoIterator,
    H::Item: AsRef<str>,
    R: IntoIterator<Item = C>,
    C: IntoIterator,
    C::Item: AsRef<str>,
{
    let mut writer = csv::Writer::from_writer(Vec::new());
    write_record(&mut writer, heads)?;
    for record in records {
        write_record(&mut writer, record)?;
    }
    writer.into_inner().into_diagnostic()
}

fn write_record<C>(writer: &mut csv::Writer<Vec<u8>>, cells: C) -> miette::Result<()>
where
    C: IntoIterator,
    C::Item: AsRef<str>,
{
    for cell in cells {
        writer.write_field(written(cell.as_ref()).as_bytes()).into_diagnostic()?;
    }
    writer.write_record(None::<&[u8]>).into_diagnostic()
}

/// A record for each row, with the names of its fields as heads.
pub fn of_rows<R: Serialize>(rows: &[R]) -> miette::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).into_diagnostic()?;
    }
    let plain = writer.into_inner().into_diagnostic()?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(plain.as_slice());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).into_diagnostic()? {
        write_record(&mut writer, &record)?;
    }
    writer.into_inner().into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_become_texts_and_numbers_stay() {
        for formula in ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1", "-", "=HYPERLINK(\"x\")"] {
            assert!(written(formula).starts_with('\''), "{formula}");
        }
        for kept in ["-0.25", "+3", "-1e-7", "1.5", "", "commons-io", "a=b", "'quoted'", "−5 %"] {
            assert_eq!(written(kept), kept);
        }
    }

    #[test]
    fn rows_and_records_are_safe_alike() {
        #[derive(Serialize)]
        struct Row {
            name: &'static str,
            value: f64,
        }
        let rows = of_rows(&[Row { name: "=1+1, \"x\"", value: -0.5 }]).unwrap();
        assert_eq!(String::from_utf8(rows).unwrap(), "name,value\n\"'=1+1, \"\"x\"\"\",-0.5\n");
        let records = of_records(["a", "b"], [["@x", "-3"]]).unwrap();
        assert_eq!(String::from_utf8(records).unwrap(), "a,b\n'@x,-3\n");
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let hostile = "a\u{1b}[2Jb\u{7}\u{9b}31m\u{202e}c\r\nd\t\\u{1b}\\u{x}";
        let cell = written(hostile);
        assert_eq!(cell, "a\\u{1b}[2Jb\\u{7}\\u{9b}31m\\u{202e}c\\u{d}\nd\t\\u{5c}u{1b}\\u{5c}u{x}");
        assert_eq!(read(&cell), hostile);
        for foreign in ["\\u{41}", "\\u{", "\\u{zz}", "\\u{110000}", "C:\\u"] {
            assert_eq!(read(foreign), foreign);
        }
        let table = of_records(["a"], [[hostile]]).unwrap();
        assert!(!String::from_utf8(table).unwrap().contains(is_escaped));
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "[\\u{0}-\u{1f}\u{7f}-\u{9f}\u{202e}a]{0,8}|[\\\\u{}0-9c\u{1b}]{0,12}|['=+@\\-\t\r\n0-9a-z＝]{0,6}|\\PC{0,12}") {
            let cell = written(&text).into_owned();
            prop_assert_eq!(read(&cell), text.as_str());
            prop_assert!(!cell.contains(is_escaped));
            let first = cell.chars().next();
            prop_assert!(cell.parse::<f64>().is_ok() || !matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r')));
        }
    }
}
