//! Errors as they are shown. Their texts, and the files that they quote, may be anyone's: what a terminal would obey or not show is
//! written out, and everything else stays where it is.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteHandler, MietteSpanContents, ReportHandler, Severity, SourceCode,
    SourceSpan, SpanContents,
};
use parade::shown_text::{masked_lines, visible_lines};

/// More lines than any file has.
const ALL_LINES: usize = u32::MAX as usize;

/// Shows errors as another handler does, with safe texts.
pub struct SafeHandler(pub MietteHandler);

impl ReportHandler for SafeHandler {
    fn debug(&self, diagnostic: &dyn Diagnostic, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.debug(&SafeDiagnostic::of(diagnostic), f)
    }
}

/// A copy of an error, of its causes and of what belongs to it.
#[derive(Debug, Default)]
struct SafeDiagnostic {
    message: String,
    code: Option<String>,
    help: Option<String>,
    url: Option<String>,
    severity: Option<Severity>,
    labels: Vec<LabeledSpan>,
    source: Option<SafeSource>,
    related: Vec<SafeDiagnostic>,
    cause: Option<Box<SafeDiagnostic>>,
    /// Only a diagnostic is shown with all that belongs to it.
    cause_is_diagnostic: bool,
}

impl SafeDiagnostic {
    fn of(original: &dyn Diagnostic) -> Self {
        let text = |shown: Option<Box<dyn Display + '_>>| shown.map(|shown| visible_lines(&shown.to_string()));
        let cause = match original.diagnostic_source() {
            Some(cause) => Some(Self::of(cause)),
            None => original.source().map(Self::of_error),
        };
        let labels: Vec<LabeledSpan> =
            original.labels().into_iter().flatten().map(|label| safe_label(&label)).collect();
        SafeDiagnostic {
            message: visible_lines(&original.to_string()),
            code: text(original.code()),
            help: text(original.help()),
            url: text(original.url()),
            severity: original.severity(),
            source: original.source_code().and_then(|source| SafeSource::of(source, &labels)),
            labels,
            related: original.related().into_iter().flatten().map(Self::of).collect(),
            cause: cause.map(Box::new),
            cause_is_diagnostic: original.diagnostic_source().is_some(),
        }
    }

    fn of_error(error: &(dyn Error + 'static)) -> Self {
        let cause = error.source().map(|cause| Box::new(Self::of_error(cause)));
        SafeDiagnostic { message: visible_lines(&error.to_string()), cause, ..Self::default() }
    }
}

fn safe_label(label: &LabeledSpan) -> LabeledSpan {
    let text = label.label().map(visible_lines);
    match label.primary() {
        true => LabeledSpan::new_primary_with_span(text, *label.inner()),
        false => LabeledSpan::new_with_span(text, *label.inner()),
    }
}

/// What an error quotes, in a text of the same length, so that labels point to the same places. It may be a part of a file:
/// where that is in the file, the original says.
#[derive(Debug)]
struct SafeSource {
    name: Option<String>,
    text: String,
    first_line: usize,
    /// Lines and columns of what labels point to.
    positions: Vec<(SourceSpan, (usize, usize))>,
}

impl SafeSource {
    fn of(original: &dyn SourceCode, labels: &[LabeledSpan]) -> Option<Self> {
        let whole = original.read_span(&(0, 0).into(), 0, ALL_LINES).ok()?;
        let position = |label: &LabeledSpan| {
            let place = original.read_span(label.inner(), 0, 0).ok()?;
            Some((*label.inner(), (place.line(), place.column())))
        };
        Some(SafeSource {
            name: whole.name().map(visible_lines),
            text: masked_lines(&String::from_utf8_lossy(whole.data())),
            first_line: whole.line(),
            positions: labels.iter().filter_map(position).collect(),
        })
    }
}

impl SourceCode for SafeSource {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        let known = self.positions.iter().find(|(of, _)| of == span && (lines_before, lines_after) == (0, 0));
        let (line, column) =
            known.map_or((self.first_line + contents.line(), contents.column()), |(_, position)| *position);
        let (data, place, count) = (contents.data(), *contents.span(), contents.line_count());
        Ok(Box::new(match self.name.clone() {
            Some(name) => MietteSpanContents::new_named(name, data, place, line, column, count),
            None => MietteSpanContents::new(data, place, line, column, count),
        }))
    }
}

impl Display for SafeDiagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for SafeDiagnostic {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

impl Diagnostic for SafeDiagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        boxed(self.code.as_ref())
    }

    fn severity(&self) -> Option<Severity> {
        self.severity
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        boxed(self.help.as_ref())
    }

    fn url<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        boxed(self.url.as_ref())
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as Box<_>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let related = self.related.iter().map(|each| each as &dyn Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as Box<_>)
    }

    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.cause.as_deref().filter(|_| self.cause_is_diagnostic).map(|cause| cause as &dyn Diagnostic)
    }
}

fn boxed<'a>(text: Option<&'a String>) -> Option<Box<dyn Display + 'a>> {
    text.map(|text| Box::new(text) as Box<dyn Display + 'a>)
}

#[cfg(test)]
mod tests {
    use super::*;
    use miette::{GraphicalTheme, MietteDiagnostic, MietteHandlerOpts, NamedSource, Report};
    use parade::shown_text::is_invisible;

    fn shown(diagnostic: &dyn Diagnostic, is_safe: bool) -> String {
        struct Page<'a>(&'a dyn Diagnostic, bool);
        impl Display for Page<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                let plain = MietteHandlerOpts::new().graphical_theme(GraphicalTheme::unicode_nocolor()).build();
                if self.1 { SafeHandler(plain).debug(self.0, f) } else { plain.debug(self.0, f) }
            }
        }
        Page(diagnostic, is_safe).to_string()
    }

    fn mistake(message: &str, source: &str) -> Report {
        let label = LabeledSpan::at(source.len() - 3..source.len(), "here");
        let mistake = MietteDiagnostic::new(message).with_help("first\nsecond").with_label(label);
        Report::new(mistake).with_source_code(NamedSource::new("file.toml", source.to_owned()))
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_shown() {
        let hostile = "a\u{1b}[2J\u{7}\u{9b}31m\u{202e}b\u{e0041}";
        let report = mistake(hostile, &format!("x = 1\ny = '{hostile}' # end")).wrap_err(hostile);
        let text = shown(report.as_ref(), true);
        assert!(!text.contains(|c| c != '\n' && is_invisible(c)), "{text:?}");
        assert!(text.contains("a\\u{1b}[2J\\u{7}"), "{text}");
    }

    #[test]
    fn everything_else_looks_as_it_did() {
        for plain in [
            mistake("größe 日本", "[a]\nb = 1\n\tc = 2 # end").wrap_err("outer"),
            mistake("m", "[a]\r\nb = 1\r\nend"),
            miette::miette!(help = "do", "what").wrap_err("outer").wrap_err("outmost"),
        ] {
            assert_eq!(shown(plain.as_ref(), true), shown(plain.as_ref(), false));
        }
    }

    #[test]
    fn a_mistake_in_a_file_is_shown_at_its_line() {
        let text = format!("startup = 1.0\n{}\nbad = 1\nworse = 2\n", "\n# comment".repeat(40));
        let mistakes = Report::from(parade::engine::model::ModelSuite::parse(&text).unwrap_err());
        assert_eq!(shown(mistakes.as_ref(), true), shown(mistakes.as_ref(), false));
    }
}
