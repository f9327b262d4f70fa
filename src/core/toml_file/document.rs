//! From a path to a TOML tree with positions. Knows nothing of experiments.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use toml::de::{DeTable, Error};

use super::mistake::{Log, Mistakes, Span};
use super::names::quoted;

/// No experiment is as large; a larger file is something else by mistake.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Above this size only the first syntax error is looked for: recovery could find one per byte.
const RECOVER_BYTES: usize = 256 * 1024;
/// After so many broken lines, further ones tell nothing new.
const SYNTAX_ERRORS: usize = 10;

/// The file's text, without a byte order mark.
pub fn read(path: &Path) -> Result<String, Mistakes> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(|error| {
        let message = format!("{name} cannot be read: {error}");
        Mistakes::unreadable(&name, message, "give the path of an experiment file, e.g. experiments/paste.toml")
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{name} is larger than 4 MiB");
        return Err(Mistakes::unreadable(
            &name,
            message,
            "an experiment file is a few kilobytes of TOML; check the path",
        ));
    }
    decode(bytes, &name)
}

pub fn decode(bytes: Vec<u8>, name: &str) -> Result<String, Mistakes> {
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(name, &error))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Mistakes {
    let valid = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(valid).copied().unwrap_or_default();
    let log = Log::default();
    log.add(
        &(valid..valid + '\u{fffd}'.len_utf8()),
        format!("the byte 0x{byte:02x} is not UTF-8"),
        "TOML files are UTF-8: save the file in that encoding",
    );
    // Up to the first wrong byte the lossy text is the same, so the position holds.
    log.into_mistakes(name, &String::from_utf8_lossy(error.as_bytes()))
}

/// The tree, unless the syntax is so broken that what else is wrong could not be told.
pub fn parse<'t>(text: &'t str, log: &Log) -> Option<DeTable<'t>> {
    let first = match DeTable::parse(text) {
        Ok(tree) => return Some(tree.into_inner()),
        Err(first) => first,
    };
    if text.len() > RECOVER_BYTES {
        report(&first, text, log);
        return None;
    }
    let (tree, errors) = DeTable::parse_recoverable(text);
    one_per_line(&errors, text).into_iter().take(SYNTAX_ERRORS).for_each(|error| report(error, text, log));
    errors.iter().all(is_duplicate_key).then(|| tree.into_inner())
}

/// What follows a broken place on its line is mostly an echo of it.
fn one_per_line<'e>(errors: &'e [Error], text: &str) -> Vec<&'e Error> {
    let line_ends: Vec<usize> = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let line = |error: &Error| {
        let start = span_of(error, text).start;
        line_ends.partition_point(|end| *end < start)
    };
    let mut first_of_line = std::collections::BTreeMap::new();
    for error in errors {
        first_of_line.entry(line(error)).or_insert(error);
    }
    first_of_line.into_values().collect()
}

fn span_of(error: &Error, text: &str) -> Span {
    let end = text.trim_end().len();
    error.span().map_or(0..0, |span| span.start.min(end)..span.end)
}

fn is_duplicate_key(error: &Error) -> bool {
    error.message() == "duplicate key"
}

fn report(error: &Error, text: &str, log: &Log) {
    let span = span_of(error, text);
    if is_duplicate_key(error) {
        let key = text.get(span.clone()).unwrap_or_default();
        log.add(
            &span,
            format!("{} is given twice", quoted(key)),
            "keep one of the two; tables that can be there several times need double brackets, e.g. `[[subject]]`",
        );
    } else if error.message().contains("recursion limit") {
        log.add(&span, "this is nested too deeply", "no key needs more than three levels");
    } else {
        log.add(&span, format!("this is not TOML: {}", error.message()), syntax_help(text, &span));
    }
}

/// The usual reasons.
fn syntax_help(text: &str, span: &Span) -> &'static str {
    match text.get(span.clone()).and_then(|found| found.chars().next()) {
        Some(c) if c.is_control() && !matches!(c, '\n' | '\r') => "remove the control character",
        Some(c) if c.is_alphabetic() => "put text between double quotes: `name = \"value\"`",
        _ => "write `key = value` lines below `[table]` headers, with text between double quotes; see https://toml.io",
    }
}
