//! Is a file of another kind altogether? Then one sentence says more than a mistake for each of its lines.

use super::names::closest;

/// Shorter texts are read for what is wrong with each line: somebody may have just begun.
const FEWEST_LINES: usize = 5;

/// What a text that is not TOML is, if no header of a table in it resembles one of these keys.
pub fn other_text(text: &str, keys: &'static [&'static str]) -> Option<&'static str> {
    let is_header = |line: &str| {
        let Some(name) = line.trim_start().strip_prefix('[') else { return false };
        let name = name.trim_start_matches('[').split([']', '.']).next().unwrap_or_default();
        closest(name.trim(), keys.iter().copied()).is_some()
    };
    match text.trim_start().chars().next() {
        Some('<') => Some("it is XML"),
        Some('{') => Some("it is JSON"),
        _ if text.contains('\0') => Some("it is not text"),
        _ if text.lines().any(is_header) || text.lines().count() < FEWEST_LINES => None,
        _ => Some("it is not TOML"),
    }
}
