//! The members of the first class of a Java source, by their braces: enough to take a test out of a file that a program wrote.
//! It knows text and comments, and nothing else of the language.

use std::ops::Range;

/// A method, a field, or whatever else stands directly in a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub bytes: Range<usize>,
    /// From 1 on, the last included.
    pub first_line: usize,
    pub last_line: usize,
}

impl Member {
    pub fn has(&self, line: usize) -> bool {
        (self.first_line..=self.last_line).contains(&line)
    }

    /// A test by JUnit's and TestNG's annotations, or by JUnit 3's names.
    pub fn is_test(&self, text: &str) -> bool {
        let own = text.get(self.bytes.clone()).unwrap_or_default();
        own.contains("@Test") || own.contains("@org.junit") || own.contains("void test")
    }

    /// What stands before the first parenthesis that follows a name; annotations with arguments apart.
    pub fn name<'t>(&self, text: &'t str) -> Option<&'t str> {
        let own = text.get(self.bytes.clone())?;
        let from = own.find("void ").map_or(0, |at| at + "void ".len());
        let name = own[from..].split('(').next()?.trim();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        (!name.is_empty() && name.chars().all(is_name)).then_some(name)
    }
}

/// What a scanner is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    LineComment,
    Comment,
    Text(u8),
    Block,
}

/// The members, in order.
pub(super) fn members(text: &str) -> Vec<Member> {
    let bytes = text.as_bytes();
    let (mut found, mut depth, mut inside, mut at) = (Vec::new(), 0usize, Inside::Code, 0);
    let mut begin = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let mut step = 1;
        match inside {
            Inside::Code if rest.starts_with(b"//") => inside = Inside::LineComment,
            Inside::Code if rest.starts_with(b"/*") => (inside, step) = (Inside::Comment, 2),
            Inside::Code if rest.starts_with(b"\"\"\"") => (inside, step) = (Inside::Block, 3),
            Inside::Code => match rest[0] {
                quote @ (b'"' | b'\'') => inside = Inside::Text(quote),
                b'{' => {
                    depth += 1;
                    if depth == 1 {
                        begin = at + 1;
                    }
                }
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 1 {
                        found.push(begin..at + 1);
                        begin = at + 1;
                    }
                }
                b';' if depth == 1 => {
                    found.push(begin..at + 1);
                    begin = at + 1;
                }
                _ => {}
            },
            Inside::LineComment if rest[0] == b'\n' => inside = Inside::Code,
            Inside::Comment if rest.starts_with(b"*/") => (inside, step) = (Inside::Code, 2),
            Inside::Block if rest.starts_with(b"\"\"\"") => (inside, step) = (Inside::Code, 3),
            Inside::Text(_) | Inside::Block if rest[0] == b'\\' => step = 2,
            Inside::Text(quote) if rest[0] == quote || rest[0] == b'\n' => inside = Inside::Code,
            Inside::LineComment | Inside::Comment | Inside::Block | Inside::Text(_) => {}
        }
        at += step;
    }
    found.into_iter().map(|range| member(text, range)).collect()
}

/// Without the white space before it.
fn member(text: &str, range: Range<usize>) -> Member {
    let own = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (own.len() - own.trim_start().len());
    let line_of = |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    let last = range.end.saturating_sub(1).max(start);
    Member { bytes: start..range.end, first_line: line_of(start), last_line: line_of(last) }
}

/// The text without some members. Its other lines stay where they were.
pub(super) fn without(text: &str, members: &[&Member]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for member in members {
        kept.push_str(text.get(at..member.bytes.start).unwrap_or_default());
        let lines = text.get(member.bytes.clone()).unwrap_or_default().matches('\n').count();
        kept.extend(std::iter::repeat_n('\n', lines));
        at = member.bytes.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOURCE: &str = "package a; // {\nclass ATest {\n  int x = 1;\n  @Test(timeout = 5)\n  public void one() {\n    \
                          String s = \"}\\\"{\"; /* } */\n  }\n  public void testTwo() { char c = '{'; }\n  void help() {}\n}\n";

    #[test]
    fn members_are_told_apart_by_their_braces() {
        let found = members(SOURCE);
        let about: Vec<_> = found
            .iter()
            .map(|member| (member.first_line, member.last_line, member.is_test(SOURCE), member.name(SOURCE)))
            .collect();
        assert_eq!(
            about,
            [
                (3, 3, false, None),
                (4, 7, true, Some("one")),
                (8, 8, true, Some("testTwo")),
                (9, 9, false, Some("help"))
            ]
        );
    }

    #[test]
    fn the_lines_of_what_stays_stay() {
        let found = members(SOURCE);
        let rest = without(SOURCE, &[&found[1]]);
        assert_eq!(rest.lines().count(), SOURCE.lines().count());
        assert!(!rest.contains("one()") && rest.lines().nth(7).unwrap().contains("testTwo"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[{}\"'/*;\\\\\n aé@]*") {
            let found = members(&text);
            let all: Vec<&Member> = found.iter().collect();
            let _ = without(&text, &all);
            found.iter().for_each(|member| { let _ = member.name(&text); });
        }
    }
}
