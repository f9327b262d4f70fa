//! What the two runs were: machines, versions, dates, and the versions of the subjects that both have.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Compared;
use crate::shown_text::shown;
use crate::store::record::{Environment, RunData, SubjectRecord};

/// One fact of both runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FactRow {
    pub what: String,
    pub first: String,
    pub second: String,
    pub differs: bool,
    /// Is it about the machine, so that a difference makes times incomparable?
    #[serde(skip)]
    pub of_machine: bool,
}

impl FactRow {
    /// Safe to show: the values are from records that anyone may have written.
    fn new(what: &str, first: &str, second: &str) -> Self {
        let differs = first != second;
        FactRow { what: shown(what), differs, first: shown(first), second: shown(second), of_machine: false }
    }
}

/// General facts always, those of a subject only where they differ.
pub(super) fn rows(first: &Compared, second: &Compared) -> Vec<FactRow> {
    let mut rows = Vec::new();
    for (what, of) in MACHINE {
        let row = FactRow::new(what, &of(&first.run.environment), &of(&second.run.environment));
        rows.push(FactRow { of_machine: true, ..row });
    }
    for (what, of) in RUN {
        rows.push(FactRow::new(what, &of(&first.run), &of(&second.run)));
    }
    rows.retain(|row| !(row.first.is_empty() && row.second.is_empty()));
    rows.extend(subjects(&first.run, &second.run));
    rows
}

type OfMachine = fn(&Environment) -> String;
type OfRun = fn(&RunData) -> String;

const MACHINE: [(&str, OfMachine); 9] = [
    ("host", |machine| machine.hostname.clone()),
    ("processor", |machine| machine.cpu_model.clone()),
    ("logical cores", |machine| machine.logical_cores.to_string()),
    // The kernel's own share of the memory differs a little from boot to boot.
    ("memory", |machine| format!("{} GiB (rounded up)", machine.memory_bytes.div_ceil(1 << 30))),
    ("system", |machine| machine.os.clone()),
    ("kernel", |machine| machine.kernel.clone()),
    ("virtualization", |machine| machine.virtualization.clone().unwrap_or_default()),
    ("frequency governor", |machine| machine.governor.clone().unwrap_or_default()),
    ("turbo", |machine| machine.turbo.map_or(String::new(), |on| if on { "on" } else { "off" }.to_owned())),
];

const RUN: [(&str, OfRun); 11] = [
    ("parade", |run| run.manifest.parade.clone()),
    ("JDK", |run| distinct(run.subjects.iter().filter_map(|subject| subject.jdk.as_deref()))),
    ("Maven", |run| distinct(run.subjects.iter().filter_map(|subject| subject.maven.as_deref()))),
    ("experiment", |run| run.manifest.experiment.clone()),
    ("started", |run| run.manifest.started_at.strftime("%Y-%m-%d %H:%M UTC").to_string()),
    ("last trial", |run| last_trial(run)),
    ("repetitions", |run| run.manifest.repetitions.to_string()),
    ("baseline", |run| run.manifest.baseline.clone()),
    ("seed", |run| run.manifest.seed.to_string()),
    ("quick", |run| if run.manifest.quick { "yes".to_owned() } else { String::new() }),
    ("merged from", |run| match run.manifest.merged.len() {
        0 => String::new(),
        count => crate::wording::plural(count, "run"),
    }),
];

fn last_trial(run: &RunData) -> String {
    let last = run.trials.iter().map(|trial| trial.started_at).max();
    last.map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> String {
    values.collect::<BTreeSet<&str>>().into_iter().collect::<Vec<_>>().join(", ")
}

fn subjects(first: &RunData, second: &RunData) -> Vec<FactRow> {
    let mut rows = Vec::new();
    for one in &first.subjects {
        let Some(other) = second.subjects.iter().find(|record| record.subject == one.subject) else { continue };
        let mut told = vec![(COMMIT, code(first, one), code(second, other))];
        told.extend(SUBJECT.map(|(what, of)| (what, of(one), of(other))));
        let told = told.into_iter().map(|(what, a, b)| FactRow::new(&format!("{what} of {}", one.subject), &a, &b));
        rows.extend(told.filter(|row| row.differs));
    }
    rows
}

/// The commit, or the content of what has none: model suites.
fn code(run: &RunData, subject: &SubjectRecord) -> String {
    let content = || run.manifest.contents.get(&subject.subject).cloned();
    subject.revision.clone().or_else(content).unwrap_or_default()
}

type OfSubject = fn(&SubjectRecord) -> String;

/// As the caveats look for them too.
pub(super) const COMMIT: &str = "code";

const SUBJECT: [(&str, OfSubject); 4] = [
    ("JDK", |subject| subject.jdk.clone().unwrap_or_default()),
    ("Maven", |subject| subject.maven.clone().unwrap_or_default()),
    ("tests", |subject| subject.tests.to_string()),
    ("frameworks", |subject| subject.frameworks.join(", ")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fact_reaches_a_terminal_raw() {
        let row = FactRow::new("JDK of \u{202e}x", "21\u{1b}[2J", "21\u{9b}2J\u{7}");
        assert!(row.differs);
        let text = format!("{} {} {}", row.what, row.first, row.second);
        assert!(!text.contains(crate::shown_text::is_invisible), "{text:?}");
    }

    #[test]
    fn memory_is_rounded_up_and_says_so() {
        let machine = Environment { memory_bytes: 25_276_518_400, ..Environment::default() };
        let (_, memory) = MACHINE.iter().find(|(what, _)| *what == "memory").unwrap();
        assert_eq!(memory(&machine), "24 GiB (rounded up)");
    }
}
