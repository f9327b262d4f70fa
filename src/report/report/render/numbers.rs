//! `numbers.tex`: every number of the report as a LaTeX macro, so that a paper's text cannot drift from its data.
//!
//! A name is `\parade`, what the number is, the configuration, the subject, and in a run on several numbers of cores
//! `OnTwoCores`: `\paradeSpeedupClassesCommonsIo`. Names of a run become words: letters stay, digits are spelled out, anything
//! else ends a word. Where two subjects or configurations come out alike, the later one gets a letter from `B` on, in all of its
//! macros.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::NOT_FOR_PUBLICATION;
use crate::report::Analysis;
use crate::report::analysis::orders::{CellState, OrderTables, ReductionRow, SlowdownRow, StatisticsRow};
use crate::report::analysis::{Scope, SpeedupState};
use crate::shown_text::shown;
use crate::stats::speed_judgement::SpeedJudgement;
use crate::wording::plural;

/// Longer names are cut here, and told apart by letters from their hash.
const LONGEST_NAME: usize = 60;

pub fn render(analysis: &Analysis) -> String {
    let mut macros = Macros::of(analysis);
    if analysis.run.manifest.quick {
        let _ = writeln!(macros.text, "% {NOT_FOR_PUBLICATION}");
    }
    of_the_run(&mut macros, analysis);
    averages(&mut macros, analysis);
    subjects(&mut macros, analysis);
    speedups(&mut macros, analysis);
    failures(&mut macros, analysis);
    runs(&mut macros, analysis);
    macros.text
}

#[derive(Default)]
struct Macros {
    text: String,
    taken: HashSet<String>,
    subjects: UniqueWords,
    configurations: UniqueWords,
    /// By the words of a configuration and a subject: `a` with `b-c` and `a-b` with `c` come out alike.
    places: UniqueWords,
    several_cores: bool,
}

/// Words of letters for names, different for different names.
#[derive(Default)]
struct UniqueWords {
    given: HashMap<String, String>,
    taken: HashSet<String>,
}

impl UniqueWords {
    /// The same name always gets the same words, `wanted` where they are free.
    fn get(&mut self, name: &str, wanted: &str) -> String {
        if let Some(given) = self.given.get(name) {
            return given.clone();
        }
        let found = if name.is_empty() { String::new() } else { unused(wanted, &self.taken) };
        self.taken.insert(found.clone());
        self.given.insert(name.to_owned(), found.clone());
        found
    }
}

/// The name, or the first that is free of it with a letter from `B` on.
fn unused(name: &str, taken: &HashSet<String>) -> String {
    let letters = std::iter::once(String::new()).chain(('B'..='Z').map(String::from));
    let more = (2..).map(|n| "Z".repeat(n));
    let free = letters.chain(more).map(|letter| format!("{name}{letter}")).find(|name| !taken.contains(name));
    free.unwrap_or_else(|| name.to_owned())
}

/// Where a number belongs; what is empty does not apply.
#[derive(Default, Clone, Copy)]
struct NumberScope<'a> {
    configuration: &'a str,
    subject: &'a str,
    cores: Option<usize>,
}

impl Macros {
    /// Words are given in the order of the experiment file, whatever has numbers.
    fn of(analysis: &Analysis) -> Self {
        let manifest = &analysis.run.manifest;
        let mut macros = Macros { several_cores: manifest.cores.len() > 1, ..Macros::default() };
        let of_rows = analysis.subjects.iter().map(|row| &row.subject);
        for subject in manifest.subjects.iter().chain(of_rows) {
            macros.subjects.get(subject, &words(subject));
        }
        for configuration in &manifest.configurations {
            macros.configurations.get(&configuration.name, &words(&configuration.name));
        }
        macros
    }

    /// What the names of all numbers of a place have in common.
    fn place(&mut self, place: NumberScope) -> String {
        let configuration = self.configurations.get(place.configuration, &words(place.configuration));
        let subject = self.subjects.get(place.subject, &words(place.subject));
        let both = format!("{}\0{}", place.configuration, place.subject);
        if place.configuration.is_empty() || place.subject.is_empty() {
            return configuration + &subject;
        }
        self.places.get(&both, &format!("{configuration}{subject}"))
    }

    fn section(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n% {title}");
    }

    fn add(&mut self, what: &str, place: NumberScope, value: Option<String>) {
        let Some(value) = value else { return };
        let on = place.cores.filter(|_| self.several_cores).map(|cores| plural(cores, "core"));
        let on = on.map(|cores| format!("On{}", words(&cores))).unwrap_or_default();
        let name = unused(&format!("parade{what}{}{on}", self.place(place)), &self.taken);
        self.taken.insert(name.clone());
        let cores = place.cores.map(|cores| plural(cores, "core")).unwrap_or_default();
        let origin: Vec<String> =
            [shown(place.subject), shown(place.configuration), cores].into_iter().filter(|p| !p.is_empty()).collect();
        let comment = if origin.is_empty() { String::new() } else { format!("% {}", origin.join(", ")) };
        let _ = writeln!(self.text, "\\newcommand{{\\{name}}}{{{value}}}{comment}");
    }
}

const DIGITS: [&str; 10] = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

/// A name as words of letters: `commons-io-2` is `CommonsIoTwo`. A letter that is not ASCII is `U` and its number, spelled out.
fn words(name: &str) -> String {
    let mut out = String::new();
    let mut at_start = true;
    for c in name.chars().take(20 * LONGEST_NAME) {
        match c {
            'a'..='z' | 'A'..='Z' if at_start => out.push(c.to_ascii_uppercase()),
            'a'..='z' | 'A'..='Z' => out.push(c),
            '0'..='9' => out += spelled(c),
            c if c.is_alphanumeric() => {
                out.push('U');
                format!("{:x}", u32::from(c)).chars().for_each(|digit| out += spelled(digit));
            }
            _ => {}
        }
        at_start = !c.is_ascii_alphabetic();
    }
    match out.len() {
        0 if name.is_empty() => out,
        0 => format!("Unnamed{}", letters_of(name)),
        1..=LONGEST_NAME => out,
        _ => format!("{}{}", &out[..LONGEST_NAME], letters_of(name)),
    }
}

fn spelled(digit: char) -> &'static str {
    const LETTERS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
    let value = digit.to_digit(16).unwrap_or(0) as usize;
    DIGITS.get(value).copied().unwrap_or_else(|| LETTERS[(value - 10) % 6])
}

/// Six letters that hardly any other name has.
fn letters_of(name: &str) -> String {
    Sha256::digest(name).iter().take(6).map(|byte| char::from(b'a' + byte % 26)).collect()
}

fn count(value: usize) -> Option<String> {
    Some(value.to_string())
}

fn fixed(value: Option<f64>, decimals: usize) -> Option<String> {
    value.filter(|value| value.is_finite()).map(|value| format!("{value:.decimals$}"))
}

fn of_the_run(macros: &mut Macros, analysis: &Analysis) {
    let (run, headline) = (&analysis.run, &analysis.headline);
    macros.section("the run");
    let whole = NumberScope::default();
    macros.add("Subjects", whole, count(headline.subjects));
    macros.add("SubjectsGained", whole, count(headline.gained));
    macros.add("Repetitions", whole, count(run.manifest.repetitions as usize));
    macros.add("Trials", whole, count(run.finished_trials));
    macros.add("TrialsPlanned", whole, count(run.planned_trials));
    macros.add("Seed", whole, Some(run.manifest.seed.to_string()));
    macros.add("FailuresProvoked", whole, headline.repair.as_ref().and(count(headline.provoked)));
    macros.add("FailuresRepaired", whole, headline.repair.as_ref().and(count(headline.repaired)));
    macros.add("FailuresRemaining", whole, headline.repair.as_ref().and(count(headline.remaining)));
    macros.add("TrialsWithLostTests", whole, headline.repair.as_ref().and(count(headline.trials_with_lost_tests)));
    macros.add("FailuresAlsoInBaseline", whole, headline.repair.as_ref().and(count(headline.also_in_baseline)));
    macros.add("BestSpeedup", whole, headline.best.as_ref().map(|best| best.text.clone()));
    macros.add("BestSpeedupLow", whole, headline.best.as_ref().and_then(|best| best.low_text.clone()));
    macros.add("BestSpeedupHigh", whole, headline.best.as_ref().and_then(|best| best.high_text.clone()));
    macros.add("ComparisonsFaster", whole, count(headline.comparisons.faster));
    macros.add("ComparisonsSlower", whole, count(headline.comparisons.slower));
    macros.add("ComparisonsWithoutDifference", whole, count(headline.comparisons.no_difference_shown));
    macros.add("ComparisonsWithTooFewRuns", whole, count(headline.comparisons.not_enough_runs));
    macros.add("ComparisonsWithoutConcurrency", whole, count(headline.comparisons.no_concurrency));
    if !analysis.orders.is_empty() {
        of_orders(macros, &analysis.orders);
    }
}

/// Over all suites and techniques of the study.
fn of_orders(macros: &mut Macros, orders: &OrderTables) {
    let whole = NumberScope::default();
    let reduction = ReductionRow::total(&orders.reductions.iter().collect::<Vec<_>>());
    let slowdown = SlowdownRow::total(&orders.slowdowns.iter().collect::<Vec<_>>());
    macros.section("order-dependent tests in orders of algorithms");
    macros.add("OdTests", whole, count(orders.statistics.iter().map(StatisticsRow::known).sum()));
    macros.add("OdFailures", whole, count(orders.failing_in_unenhanced()));
    let compared = orders.reductions.iter().any(|row| row.state != CellState::NotRun);
    macros.add("OdFailuresUnenhanced", whole, count(reduction.unenhanced).filter(|_| compared));
    macros.add("OdFailuresEnhanced", whole, count(reduction.enhanced).filter(|_| compared));
    macros.add("OdReduction", whole, fixed(reduction.reduction, 0));
    macros.add("OdSlowdown", whole, fixed(slowdown.slowdown, 0));
}

fn averages(macros: &mut Macros, analysis: &Analysis) {
    macros.section("averages of the speedups: over all subjects, and over those that gained (Study)");
    for row in &analysis.averages {
        let of = if row.scope == Scope::Study { "Study" } else { "" };
        let place = NumberScope { configuration: &row.configuration, subject: "", cores: Some(row.cores) };
        macros.add(&format!("Average{of}"), place, fixed(row.average, 2));
        macros.add(&format!("Median{of}"), place, fixed(row.median, 2));
        macros.add(&format!("GeometricMean{of}"), place, fixed(row.geometric_mean, 2));
        macros.add(&format!("Averaged{of}"), place, count(row.subjects));
        macros.add(&format!("Gained{of}"), place, count(row.gained));
    }
}

fn subjects(macros: &mut Macros, analysis: &Analysis) {
    macros.section("subjects");
    for row in &analysis.subjects {
        let place = NumberScope { subject: &row.subject, ..NumberScope::default() };
        macros.add("Tests", place, count(row.tests));
        macros.add("Classes", place, count(row.classes));
        macros.add("SetAside", place, count(row.set_aside));
        macros.add("Deviations", place, count(row.deviations));
    }
    for (what, total) in [
        ("TestsTotal", analysis.subjects.iter().map(|row| row.tests).sum()),
        ("ClassesTotal", analysis.subjects.iter().map(|row| row.classes).sum::<usize>()),
    ] {
        macros.add(what, NumberScope::default(), count(total));
    }
}

fn speedups(macros: &mut Macros, analysis: &Analysis) {
    macros.section(
        "speedups: Judgement is what the comparison shows. If it is not compared, not enough runs or no concurrency, there \
         is no other macro. Low and High are the ends of the 95 % interval, Method is its method, P is corrected by \
         Holm's method, Saving is in percent",
    );
    for (row, saving) in analysis.speedups.iter().zip(&analysis.savings) {
        let place = NumberScope { configuration: &row.configuration, subject: &row.subject, cores: Some(row.cores) };
        let told = match row.judgement {
            SpeedJudgement::NotCompared => "not compared",
            judgement => judgement.words(),
        };
        macros.add("Judgement", place, (row.state != SpeedupState::NotPlanned).then(|| told.to_owned()));
        if !row.judgement.is_answer() {
            continue;
        }
        let ratio = |value: Option<f64>| value.filter(|value| value.is_finite()).map(|value| row.with_decimals(value));
        macros.add("Speedup", place, ratio(row.speedup));
        macros.add("SpeedupLow", place, ratio(row.ci_low));
        macros.add("SpeedupHigh", place, ratio(row.ci_high));
        macros.add("SpeedupMethod", place, row.method().map(|method| method.explanation().to_owned()));
        macros.add("Pairs", place, count(row.pairs));
        macros.add("P", place, fixed(row.p_holm, 3));
        macros.add("Effect", place, fixed(row.effect, 2));
        macros.add("Saving", place, fixed(saving.saving_percent, 0).map(|text| text.replace("-0", "0")));
    }
}

fn failures(macros: &mut Macros, analysis: &Analysis) {
    macros.section("failures after each stage, means");
    for row in &analysis.failures {
        let place = NumberScope { configuration: &row.configuration, subject: &row.subject, cores: Some(row.cores) };
        macros.add(&format!("FailuresStage{}", words(&row.stage.to_string())), place, fixed(row.failures, 1));
    }
}

fn runs(macros: &mut Macros, analysis: &Analysis) {
    macros.section("observed concurrency, seconds of wall and CPU time, MiB of memory");
    for row in &analysis.concurrency {
        let place = NumberScope { configuration: &row.configuration, subject: &row.subject, cores: Some(row.cores) };
        macros.add("Concurrency", place, fixed(Some(row.mean), 1));
        macros.add("ConcurrencyMax", place, count(row.max));
    }
    for row in &analysis.costs {
        let place = NumberScope { configuration: &row.configuration, subject: &row.subject, cores: Some(row.cores) };
        macros.add("Seconds", place, fixed(Some(row.wall_seconds), 1));
        macros.add("CpuSeconds", place, fixed(Some(row.cpu_seconds), 1));
        macros.add("MemoryMib", place, fixed(row.peak_memory_bytes.map(|bytes| bytes as f64 / 1048576.0), 0));
    }
    for row in analysis.scaling.iter().filter(|row| row.judgement.is_answer()) {
        let place = NumberScope { configuration: &row.configuration, subject: &row.subject, cores: Some(row.cores) };
        macros.add("ScalingJudgement", place, Some(row.judgement.words().to_owned()));
        macros.add("Scaling", place, fixed(Some(row.scaling), 2));
        macros.add("ScalingLow", place, fixed(row.ci_low, 2));
        macros.add("ScalingHigh", place, fixed(row.ci_high, 2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn names(text: &str) -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix("\\newcommand{\\")?.split('}').next()).collect()
    }

    #[test]
    fn a_number_has_the_name_that_a_paper_would_guess() {
        let text = render(sample::studied());
        assert!(text.contains("\\newcommand{\\paradeSpeedupMethodsCleanGain}{1.48}% clean-gain, methods, 2 cores\n"));
        assert!(text.contains("\\newcommand{\\paradeFailuresStageOneClassesDataRace}{6.0}"));
        assert!(text.contains("\\newcommand{\\paradeSubjects}{8}\n"));
    }

    #[test]
    fn a_small_speedup_is_not_written_as_one() {
        let mut analysis = sample::studied().clone();
        let row = analysis.speedups.iter_mut().find(|row| row.gained()).unwrap();
        (row.speedup, row.ci_low, row.ci_high) = (Some(1.0004), Some(1.0002), Some(1.0006));
        let text = render(&analysis);
        assert!(text.contains("{1.0004}") && text.contains("{1.0002}") && text.contains("{1.0006}"));
    }

    #[test]
    fn names_are_letters_and_unique_whatever_the_run_is_called() {
        for analysis in [sample::studied(), sample::attacked(), &Analysis::of(&sample::two_core_counts())] {
            let text = render(analysis);
            let names = names(&text);
            assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_alphabetic())));
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
            assert!(names.iter().all(|name| name.len() < 250));
        }
    }

    #[test]
    fn digits_are_spelled_out_and_cores_named_where_there_are_several() {
        assert_eq!(words("junit4-platform.2x"), "JunitFourPlatformTwoX");
        assert_eq!(words("größe"), "GrUFSixUDFE");
        let text = render(&Analysis::of(&sample::two_core_counts()));
        assert!(text.contains("\\newcommand{\\paradeSpeedupClassesScalesOnTwoCores}"), "{text}");
    }

    /// The first of two subjects that are written alike has no speedup: its letter stays its own in all macros.
    #[test]
    fn a_subject_has_the_same_words_in_all_macros() {
        let mut run = sample::study();
        let renamed = |name: &mut String| match name.as_str() {
            "data-race" => *name = "1-gain.v01".to_owned(),
            "clean-gain" => *name = "1_gain.v01".to_owned(),
            _ => {}
        };
        run.manifest.subjects.swap(0, 1);
        run.manifest.subjects.iter_mut().for_each(renamed);
        run.manifest.trials.iter_mut().for_each(|trial| renamed(&mut trial.subject));
        run.subjects.iter_mut().for_each(|record| renamed(&mut record.subject));
        run.trials.iter_mut().for_each(|trial| renamed(&mut trial.subject));
        let text = render(&Analysis::of(&run));
        assert!(text.contains("\\newcommand{\\paradeTestsOneGainVZeroOne}{40}% 1-gain.v01\n"));
        assert!(text.contains("\\newcommand{\\paradeJudgementPlainOneGainVZeroOne}{not compared}% 1-gain.v01"));
        assert!(text.contains("\\newcommand{\\paradeTestsOneGainVZeroOneB}{40}% 1_gain.v01\n"));
        assert!(text.contains("\\newcommand{\\paradeSpeedupPlainOneGainVZeroOneB}{1.94}% 1_gain.v01"));
        assert!(!text.contains("\\paradeSpeedupPlainOneGainVZeroOne}"));
    }

    #[test]
    fn few_runs_have_no_macro_of_scaling() {
        let mut run = sample::two_core_counts();
        assert!(render(&Analysis::of(&run)).contains("\\paradeScalingClassesScales"));
        run.trials.retain(|trial| trial.repetition <= 4);
        assert!(!render(&Analysis::of(&run)).contains("\\paradeScaling"));
    }

    #[test]
    fn names_that_come_out_alike_are_told_apart() {
        let mut macros = Macros::default();
        for subject in ["commons-io", "commons.io", "commons io"] {
            macros.add("Tests", NumberScope { subject, ..NumberScope::default() }, count(1));
        }
        assert_eq!(names(&macros.text), ["paradeTestsCommonsIo", "paradeTestsCommonsIoB", "paradeTestsCommonsIoC"]);
    }
}
