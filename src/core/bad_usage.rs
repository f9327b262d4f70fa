//! What is refused because of what was asked for, not because something failed: the exit code is that of bad usage.

use miette::Diagnostic;

/// Arguments that make no sense, together or with what is there.
#[derive(Debug)]
pub struct BadUsage {
    pub message: String,
    pub help: String,
}

impl std::fmt::Display for BadUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadUsage {}

impl Diagnostic for BadUsage {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn std::fmt::Display>)
    }
}
