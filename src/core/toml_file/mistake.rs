//! What is wrong with an experiment file, where, and what to write instead.
//!
//! A mistake keeps a short excerpt of the file instead of the whole of it, so that a file of one enormous line or of a
//! million mistakes is still answered by a page.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use serde::Serialize;

use crate::redaction::{masked, redact};

/// Where in the text, in bytes.
pub type Span = Range<usize>;

/// More than these are counted, not shown.
const SHOWN: usize = 100;
/// More than these are not even kept.
const KEPT: usize = 1000;
/// A longer line is cut around the place that matters.
const LINE_WIDTH: usize = 160;

/// One mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    pub file: String,
    /// From 1 on; nothing where the file could not be read at all.
    pub line: Option<usize>,
    /// In characters, from 1 on.
    pub column: Option<usize>,
    pub message: String,
    pub help: String,
    #[serde(skip)]
    excerpt: Option<Excerpt>,
}

/// All mistakes of one file, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes {
    file: String,
    shown: Vec<Mistake>,
    more: usize,
}

impl Mistakes {
    /// A file that cannot be read has this one mistake.
    pub fn unreadable(file: &str, message: String, help: &str) -> Self {
        let mistake =
            Mistake { file: file.to_owned(), line: None, column: None, message, help: help.to_owned(), excerpt: None };
        Mistakes { file: file.to_owned(), shown: vec![mistake], more: 0 }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// The first hundred of them.
    pub fn entries(&self) -> &[Mistake] {
        &self.shown
    }

    /// How many there are, shown or not.
    pub fn count(&self) -> usize {
        self.shown.len() + self.more
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut files: Vec<&str> = self.shown.iter().map(|mistake| mistake.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        match (files.as_slice(), self.count()) {
            // What is not read at all has no mistake in it.
            ([file], 1) if self.shown.iter().all(|mistake| mistake.line.is_none()) => {
                write!(f, "{file} cannot be used")
            }
            ([file], 1) => write!(f, "{file} has a mistake"),
            ([file], count) => write!(f, "{file} has {count} mistakes"),
            (_, count) => write!(f, "{} and a file that it names have {count} mistakes", self.file),
        }
    }
}

impl std::error::Error for Mistakes {}

impl Diagnostic for Mistakes {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (self.more > 0).then(|| Box::new(format!("{} more are not shown", self.more)) as Box<dyn fmt::Display>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.shown.iter().map(|mistake| mistake as &dyn Diagnostic)))
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl Diagnostic for Mistake {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let mark = self.excerpt.as_ref()?.mark.clone();
        Some(Box::new(std::iter::once(LabeledSpan::new_primary_with_span(None, mark))))
    }
}

/// Collects mistakes while a file is walked.
#[derive(Debug, Default)]
pub struct Log {
    found: RefCell<Vec<(Span, String, String)>>,
    /// Those of other files, with the place where this one names the file.
    elsewhere: RefCell<Vec<(Span, Mistakes)>>,
    dropped: Cell<usize>,
}

impl Log {
    pub fn add(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.add_with(span, || (message.into(), help.into()));
    }

    /// Composes message and help only if they are kept: a suggestion can be costly.
    pub fn add_with(&self, span: &Span, compose: impl FnOnce() -> (String, String)) {
        let mut found = self.found.borrow_mut();
        if found.len() < KEPT {
            let (message, help) = compose();
            found.push((span.clone(), message, help));
        } else {
            self.dropped.set(self.dropped.get() + 1);
        }
    }

    /// The mistakes of a file that this one names. Once is enough, however often it is named.
    pub fn add_elsewhere(&self, span: &Span, mistakes: Mistakes) {
        let mut elsewhere = self.elsewhere.borrow_mut();
        if !elsewhere.iter().any(|(_, known)| known.file == mistakes.file) {
            elsewhere.push((span.clone(), mistakes));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty() && self.elsewhere.borrow().is_empty()
    }

    /// Passwords in urls are shown nowhere, in the lines of the file neither.
    pub fn into_mistakes(self, file: &str, text: &str) -> Mistakes {
        let text = &masked(text);
        let mut found = self.found.into_inner();
        found.sort_by_key(|(span, ..)| span.start);
        let elsewhere = self.elsewhere.into_inner();
        let count = found.len() + self.dropped.get() + elsewhere.iter().map(|(_, other)| other.count()).sum::<usize>();
        let here = found
            .into_iter()
            .take(SHOWN)
            .map(|(span, message, help)| (span.start, Mistake::at(file, text, &span, redact(&message), redact(&help))));
        let there = elsewhere
            .into_iter()
            .flat_map(|(span, other)| other.shown.into_iter().map(move |mistake| (span.start, mistake)));
        let mut placed: Vec<(usize, Mistake)> = here.chain(there).collect();
        placed.sort_by_key(|(start, _)| *start);
        let shown: Vec<Mistake> = placed.into_iter().take(SHOWN).map(|(_, mistake)| mistake).collect();
        Mistakes { file: file.to_owned(), more: count - shown.len(), shown }
    }
}

impl Mistake {
    fn at(file: &str, text: &str, span: &Span, message: String, help: String) -> Self {
        let excerpt = Excerpt::around(file, text, span);
        Mistake {
            file: file.to_owned(),
            line: Some(excerpt.line),
            column: Some(excerpt.column),
            message,
            help,
            excerpt: Some(excerpt),
        }
    }
}

/// The line of a mistake with its neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Excerpt {
    file: String,
    text: String,
    /// Number of the excerpt's first line in the file, from 1 on.
    first_line: usize,
    line: usize,
    column: usize,
    /// The place to underline, in bytes of the excerpt.
    mark: Span,
}

impl Excerpt {
    fn around(file: &str, text: &str, span: &Span) -> Self {
        let start = floor_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = floor_boundary(text, span.end).clamp(start, line_end);
        let line = text[..line_start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;

        let mut excerpt = String::new();
        let before = line_start.checked_sub(1).map(|end| text[..end].rsplit('\n').next().unwrap_or_default());
        if let Some(before) = before {
            push_printable(&mut excerpt, before.chars().take(LINE_WIDTH));
            excerpt.push('\n');
        }
        let skipped = (column - 1).saturating_sub(LINE_WIDTH / 2);
        push_printable(&mut excerpt, text[line_start..start].chars().skip(skipped));
        let mark_start = excerpt.len();
        push_printable(&mut excerpt, text[start..end].chars().take(LINE_WIDTH / 2));
        let mark_end = excerpt.len();
        push_printable(&mut excerpt, text[end..line_end].trim_end_matches('\r').chars().take(LINE_WIDTH / 2));
        if let Some(after) = text.get(line_end + 1..).and_then(|rest| rest.split('\n').next()) {
            excerpt.push('\n');
            push_printable(&mut excerpt, after.trim_end_matches('\r').chars().take(LINE_WIDTH));
        }
        let first_line = line - usize::from(before.is_some());
        Excerpt { file: file.to_owned(), text: excerpt, first_line, line, column, mark: mark_start..mark_end }
    }
}

/// Control characters could steer the terminal.
fn push_printable(excerpt: &mut String, characters: impl Iterator<Item = char>) {
    excerpt.extend(characters.map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }));
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        // Asked for the place alone, the handlers want its position in the file: theirs would be the excerpt's.
        let (line, column) = match (lines_before, lines_after) {
            (0, 0) => (self.line - 1, self.column - 1),
            _ => (self.first_line - 1 + contents.line(), contents.column()),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            contents.data(),
            *contents.span(),
            line,
            column,
            contents.line_count(),
        )))
    }
}
