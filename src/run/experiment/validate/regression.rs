//! `[regression]`, and what a subject says about its place in a study and about who writes its tests.

use std::time::Duration;

use super::{At, Context, quoted, suggestion};
use crate::experiment::raw::{RawGenerator, RawRegression};
use crate::experiment::{DependencySource, Regression};
use crate::spec::Generator;

const USUAL_TIMEOUT: Duration = Duration::from_secs(600);
/// It stands in a narrow column of tables.
const MAX_LABEL: usize = 40;

pub(super) fn regression(raw: &RawRegression, context: &Context<'_>) -> Regression {
    if let Some(written) = &raw.dependencies {
        let known = DependencySource::Orders.name();
        if written.value != known {
            let message = format!("dependencies cannot come from {}", quoted(&written.value));
            let help = format!(
                "{}; a dependency file belongs to a subject: write `dependencies = \"file.toml\"` there",
                suggestion(&written.value, "ways", [known])
            );
            context.log.add(&written.span, message, help);
        }
    }
    Regression { dependencies: DependencySource::Orders, rounds: context.runs(raw.rounds.as_ref(), "rounds", 0, 0) }
}

pub(super) fn label(written: &At<String>, context: &Context<'_>) -> Option<String> {
    let text = &written.value;
    if text.is_empty() || text.chars().count() > MAX_LABEL || text.contains(char::is_control) {
        let message = format!("{} cannot be a label", quoted(text));
        let help =
            format!("write the subject's name in the study's tables, e.g. \"M9\": at most {MAX_LABEL} characters");
        context.log.add(&written.span, message, help);
        return None;
    }
    Some(text.clone())
}

pub(super) fn generator(raw: &RawGenerator, context: &Context<'_>) -> Option<Generator> {
    let timeout = raw.timeout.as_ref().and_then(|written| context.duration(written, "timeout"));
    let command: Vec<String> = raw.command.as_ref()?.value.iter().map(|word| word.value.clone()).collect();
    if command.first().is_none_or(String::is_empty) || command.iter().any(|word| word.contains('\0')) {
        let place = raw.command.as_ref().map_or(&raw.span, |command| &command.span);
        let help = "write the program and its arguments, e.g. `command = [\"java\", \"-jar\", \"randoop.jar\"]`";
        context.log.add(place, "this generator has no program", help);
        return None;
    }
    Some(Generator { command, timeout: timeout.unwrap_or(USUAL_TIMEOUT), sources: None })
}
