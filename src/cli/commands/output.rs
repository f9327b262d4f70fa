//! Writing to standard output, for all commands.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write};

use miette::IntoDiagnostic;
use parade::shown_text::visible_character;

use super::BadUsage;

/// A reader that has seen enough, as `head` has, is no error.
pub fn print(text: &str) -> miette::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.into_diagnostic(),
    }
}

/// A document for a script.
pub fn pretty(document: &impl serde::Serialize) -> miette::Result<String> {
    serde_json::to_string_pretty(document).map(|text| text + "\n").into_diagnostic()
}

/// Something that its reader should know, and that stops nothing.
pub fn warn(text: &str) {
    // Nobody may be reading any more.
    let _ = writeln!(std::io::stderr(), "{}", one_line(text));
}

/// `--json` is a format, too: with another one beside it nobody could say which is meant.
pub fn one_format(json: bool, is_other: bool) -> Result<(), BadUsage> {
    if json && is_other {
        return Err(BadUsage {
            message: "--json and --format cannot be combined".to_owned(),
            help: "leave one of them out".to_owned(),
        });
    }
    Ok(())
}

/// The command that goes on with what this one began: the same, without starting anew.
pub fn resuming_command() -> String {
    resuming(std::env::args())
}

fn resuming(words: impl Iterator<Item = String>) -> String {
    let kept = words.filter(|word| word != "--fresh").map(|word| shell_word(&word));
    kept.collect::<Vec<_>>().join(" ")
}

/// As a shell takes it for one word.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A text of a subject's in a line of ours: it may hold anything, and must neither break the line nor steer the terminal.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let spaced = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c });
    let shown: String = spaced.flat_map(visible_character).collect();
    let cut = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("{}{cut}", shown.trim())
}

/// Columns side by side, each as wide as its widest cell.
pub fn table(rows: Vec<Vec<String>>) -> String {
    let width = |text: &String| text.chars().count();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest: Vec<_> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<_> = row.iter().zip(&widest).map(|(cell, widest)| format!("{cell:widest$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subjects_text_neither_steers_the_terminal_nor_turns_it_round() {
        assert_eq!(one_line("a\u{202e}b\n\u{1b}[31m\u{feff}"), "a\\u{202e}b  [31m\\u{feff}");
    }

    #[test]
    fn whoever_goes_on_does_not_start_anew() {
        let words = ["parade", "run", "my file.toml", "--fresh", "--only", "subject=http-*"];
        let command = resuming(words.into_iter().map(str::to_owned));
        assert_eq!(command, "parade run 'my file.toml' --only 'subject=http-*'");
    }
}
