//! Writing to standard output, for all commands.

use std::io::{ErrorKind, Write};

use miette::IntoDiagnostic;

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

/// A text of a subject's in a line of ours: it may hold anything, and must neither break the line nor steer the terminal.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let shown: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cut = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("{}{cut}", shown.trim())
}
