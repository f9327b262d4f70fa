//! What a person sees while a run is under way: a bar on a terminal, plain lines elsewhere.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parade::experiment::{Trial, format_duration};
use parade::runner::{Event, Watcher};
use parade::store::record::{KnowledgeRecord, Phase, SubjectRecord, TrialRecord, Verdict};
use parade::suite::{Tally, TestId};
use parade::wording::{counted, plural};

use super::trial_progress::TrialProgress;

/// Draws on standard error, so that standard output stays for results.
pub struct Progress {
    bar: Option<ProgressBar>,
    last_line: Instant,
    /// Subjects that could not be prepared: that is told once, not for each of their trials.
    broken: BTreeSet<String>,
    /// How far the trial is that runs now; on a terminal only.
    within: Option<TrialProgress>,
}

/// In a log, a transfer is worth a line now and then, not one per packet.
const PAUSE_BETWEEN_LINES: Duration = Duration::from_secs(10);

impl Progress {
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            bar.set_style(style(STYLE));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Progress { bar, last_line: Instant::now(), broken: BTreeSet::new(), within: None }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => say(text),
        }
    }

    /// On a terminal it replaces what stood there; in a log it is a line of its own.
    fn status(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(text.to_owned()),
            None => say(text),
        }
    }

    fn started(&self, folder: &Path, planned: Option<usize>, done: usize) {
        self.line(&format!("Results: {}", folder.display()));
        let Some(planned) = planned else {
            if done > 0 {
                self.line(&format!("{} already done; continuing", counted(done, "run is", "runs are")));
            }
            // A bar would show a share of a number that nobody knows.
            self.bar.iter().for_each(|bar| bar.set_style(style(WITHOUT_TOTAL)));
            return;
        };
        match (done, planned) {
            (0, _) => self.line(&plural(planned, "trial")),
            (done, planned) if done == planned => {
                self.line(&format!("Already done: {}. Add --fresh to start a new run.", plural(planned, "trial")))
            }
            _ => self.line(&format!(
                "{done} of {} are already done; continuing with the \
                rest",
                plural(planned, "trial")
            )),
        }
        if let Some(bar) = &self.bar {
            bar.set_length(planned as u64);
            bar.set_position(done as u64);
        }
    }

    fn transfer(&mut self, done: u64, total: u64) {
        if total == 0 {
            return;
        }
        let text = format!("{done} of {total}");
        match &self.bar {
            Some(bar) => bar.set_prefix(format!("{text} ")),
            None if self.last_line.elapsed() > PAUSE_BETWEEN_LINES => {
                self.last_line = Instant::now();
                say(&format!("    {text}"));
            }
            None => {}
        }
    }

    fn prepared(&mut self, subject: &SubjectRecord) {
        if let Some(failure) = &subject.failure {
            self.broken.insert(subject.subject.clone());
            self.line(&format!("  ✗ {}: {}", subject.subject, failure.reason));
            return;
        }
        let frameworks = subject.frameworks.join(", ");
        self.line(&format!(
            "  ✓ {}: {} in {} {}; {frameworks}",
            subject.subject,
            plural(subject.tests, "test"),
            subject.classes,
            if subject.classes == 1 { "class" } else { "classes" }
        ));
        if let Some(jdk) = &subject.jdk {
            let why = subject.jdk_choice.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
            self.line(&format!("      JDK {jdk}{why}"));
        }
        for deviation in &subject.deviations {
            self.line(&format!("      deviation: {}", deviation.text));
        }
        for test in &subject.set_aside {
            self.line(&format!("      set aside: {} ({})", test.test, test.reason));
        }
    }

    fn learnt(&self, knowledge: &KnowledgeRecord) {
        let sought: BTreeSet<&TestId> = knowledge
            .dependencies
            .iter()
            .flat_map(|search| &search.order_dependent)
            .chain(&knowledge.order_dependent)
            .collect();
        let found = plural(sought.len(), "order-dependent test");
        self.line(&format!("  ✓ {}: {} known, {found} found", knowledge.subject, plural(knowledge.tests, "test")));
        for note in &knowledge.notes {
            self.line(&format!("      note: {note}"));
        }
    }

    fn trial_started(&self, trial: &Trial, phase: Phase, done: usize, planned: Option<usize>, left: Option<f64>) {
        if self.broken.contains(&trial.subject) {
            return;
        }
        let left =
            left.map(|seconds| format!(", about {} left", format_duration(rounded(seconds)))).unwrap_or_default();
        let what = name_of(trial, phase);
        let Some(bar) = &self.bar else {
            say(&format!("[{}{left}] {what}", position(done, planned)));
            return;
        };
        bar.set_prefix("");
        match planned {
            Some(planned) => {
                bar.set_length(planned as u64);
                bar.set_position(done as u64);
                bar.set_message(format!("{what}{left}"));
            }
            None => bar.set_message(format!("{}: {what}{left}", position(done, None))),
        }
    }

    fn trial_ended(&self, record: &TrialRecord) {
        if self.broken.contains(&record.subject) {
            return;
        }
        let mark = if record.verdict == Verdict::Clean { '✓' } else { '✗' };
        let after: Vec<String> = record.stages.iter().map(|stage| stage.failures_after.to_string()).collect();
        let stages = if after.len() > 1 {
            format!(", failures after each stage {}", after.join(" → "))
        } else {
            String::new()
        };
        let reason = record.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        self.line(&format!(
            "  {mark} {} · {} · {} · #{}  {} in {:.1} s, {}{stages}{reason}",
            record.subject,
            record.configuration,
            plural(record.cores, "core"),
            record.repetition,
            record.verdict.name(),
            record.cost.wall_seconds,
            counts(&record.tally),
        ));
    }
}

/// `389 of 448 tests passed, 59 skipped`: what did not pass is never left to be subtracted.
fn counts(tally: &Tally) -> String {
    let others = [(tally.skipped, "skipped"), (tally.failures(), "failed"), (tally.not_run, "never ran")];
    let others = others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let tests = plural(tally.ran() + tally.not_run, "test");
    format!("{} of {tests} passed{}", tally.passed, others.collect::<String>())
}

/// How far a run is: a share of what is planned, or the number of the run where nobody knows how many there will be.
fn position(done: usize, planned: Option<usize>) -> String {
    match planned {
        Some(planned) => format!("{done}/{planned} {} %", (done * 100).checked_div(planned).unwrap_or(100)),
        None => format!("run {}", done + 1),
    }
}

/// Nobody may be reading any more: a run goes on all the same.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

const STYLE: &str = "{bar:24.cyan/blue} {percent:>3} %  {prefix}{wide_msg}";
/// The prefix says how many tests of the trial have ended.
const WITHOUT_TOTAL: &str = "{spinner:.cyan}  {prefix}{wide_msg}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Whole seconds: an estimate to the millisecond would be a boast.
fn rounded(seconds: f64) -> Duration {
    Duration::from_secs(seconds.max(1.0).round() as u64)
}

fn name_of(trial: &Trial, phase: Phase) -> String {
    let phase = match phase {
        Phase::Screening => "screening: ",
        Phase::Warmup => "warm-up: ",
        Phase::Measured => "",
    };
    format!(
        "{phase}{} · {} · {} · #{}",
        trial.subject,
        trial.configuration,
        plural(trial.cores, "core"),
        trial.repetition
    )
}

impl Watcher for Progress {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { folder, planned, done } => self.started(folder, *planned, *done),
            Event::Preparing { subject } => self.status(&format!("preparing {subject}")),
            Event::Stage { text } => self.status(&format!("    {text}")),
            Event::Progress { done, total } => self.transfer(*done, *total),
            Event::Prepared { subject } => self.prepared(subject),
            Event::Learnt { knowledge } => self.learnt(knowledge),
            Event::TrialStarted { trial, phase, done, planned, seconds_left, tests } => {
                self.trial_started(trial, *phase, *done, *planned, *seconds_left);
                self.within = self.bar.as_ref().map(|bar| TrialProgress::watch(bar.clone(), *tests));
            }
            Event::TrialEnded { record } => {
                self.within = None;
                self.trial_ended(record);
            }
            Event::Note(text) => self.line(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_told_only_where_it_is_certain() {
        assert_eq!(position(3, Some(12)), "3/12 25 %");
        assert_eq!([0, 1, 2].map(|done| position(done, None)), ["run 1", "run 2", "run 3"]);
    }

    #[test]
    fn what_did_not_pass_is_told() {
        let tally = Tally { passed: 389, skipped: 59, ..Tally::default() };
        assert_eq!(counts(&tally), "389 of 448 tests passed, 59 skipped");
        let tally = Tally { passed: 1, failed: 1, crashed: 1, not_run: 2, ..Tally::default() };
        assert_eq!(counts(&tally), "1 of 5 tests passed, 2 failed, 2 never ran");
    }
}
