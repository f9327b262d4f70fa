//! Lines of Java code that are neither blank nor comment, of a program and of its tests.

use std::path::{Path, PathBuf};

/// A source file beyond this is not counted.
const LARGEST: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SourceLines {
    pub program: u64,
    pub tests: u64,
}

/// Below these folders, without what a build leaves in `target`.
pub(super) fn count(folders: &[PathBuf]) -> SourceLines {
    let mut lines = SourceLines::default();
    let mut open: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.as_ref().is_ok_and(|kind| kind.is_dir()) && !is_left_out(&path) {
                open.push(path);
            } else if kind.is_ok_and(|kind| kind.is_file()) && path.extension().is_some_and(|end| end == "java") {
                let code = crate::folder_handle::read_regular(&path, LARGEST);
                let code = code.map_or(0, |bytes| of_text(&String::from_utf8_lossy(&bytes)));
                *(if is_test(&path) { &mut lines.tests } else { &mut lines.program }) += code;
            }
        }
    }
    lines
}

fn is_left_out(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "target" || name.to_string_lossy().starts_with('.'))
}

fn is_test(path: &Path) -> bool {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.windows(2).any(|pair| pair[0] == "src" && pair[1].to_lowercase().contains("test"))
}

/// Where the reader of a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    Comment,
    /// Between these quotes.
    Text(char),
}

fn of_text(text: &str) -> u64 {
    let mut inside = Inside::Code;
    text.lines().map(|line| u64::from(has_code(line, &mut inside))).sum()
}

fn has_code(line: &str, inside: &mut Inside) -> bool {
    let mut found = false;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match *inside {
            Inside::Comment if rest.starts_with("*/") => (*inside, length) = (Inside::Code, 2),
            Inside::Comment => {}
            Inside::Code if rest.starts_with("//") => break,
            Inside::Code if rest.starts_with("/*") => (*inside, length) = (Inside::Comment, 2),
            Inside::Code => {
                found |= !c.is_whitespace();
                if matches!(c, '"' | '\'') {
                    *inside = Inside::Text(c);
                }
            }
            Inside::Text(_) if c == '\\' => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            Inside::Text(quote) => {
                found = true;
                if c == quote {
                    *inside = Inside::Code;
                }
            }
        }
        rest = &rest[length..];
    }
    // Text blocks apart, which count as code either way, no text goes on in the next line.
    if matches!(inside, Inside::Text(_)) {
        *inside = Inside::Code;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_comments_do_not_count() {
        let text = "/* a\n * b\n */ class A {\n\n  // c\n  String s = \"/* no \\\" comment\"; // d\n  char c = '\"'; /* e */\n}\n";
        assert_eq!(of_text(text), 4);
        assert_eq!(of_text("/**/\n  \n/* open\nint x;\n"), 0);
    }

    #[test]
    fn tests_are_told_by_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("src/main/java/A.java", "class A {}\n"),
            ("src/test/java/ATest.java", "class ATest {\n}\n"),
            ("target/B.java", "class B {}\n"),
            ("src/main/java/notes.txt", "text\n"),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(count(&[folder.path().to_owned()]), SourceLines { program: 1, tests: 2 });
    }
}
