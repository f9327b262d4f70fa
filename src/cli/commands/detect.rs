//! `parade detect`: which tests depend on the order that they run in, and on which others.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use parade::detection::{self, DetectionRequest, Ended, Found};
use parade::experiment::MachineLimits;
use parade::home::Home;
use parade::process::Interrupt;
use parade::project::{self, Choice, Refusal};
use parade::project::{ProjectIdentity, Words};
use parade::spec::SurefireVersion;
use parade::suite::{Outcome, TestId};
use parade::technique::detect::{Detection, Kind, OrderDependent, Settings, Strategy};
use parade::wording::{VIRTUAL_TIME, counted, plural};
use serde_json::{Value, json};

use super::maven_options::MavenOptions;
use super::output::{one_line, pretty, print, resuming_command};
use super::progress::Progress;
use super::{BadUsage, wanted_jdk};

#[derive(Debug)]
pub struct DetectOptions {
    /// A folder, a url, or a model suite.
    pub project: String,
    /// Empty for a mix.
    pub strategies: Vec<Strategy>,
    /// Does what only interleaved classes show count, too?
    pub interleave: bool,
    pub rounds: usize,
    pub k: usize,
    pub seed: u64,
    pub budget: Duration,
    pub baseline: usize,
    pub module: Vec<String>,
    pub revision: Option<String>,
    pub maven: MavenOptions,
    pub timeout: Duration,
    /// Without, a folder of parade's own.
    pub results: Option<PathBuf>,
    pub out: Option<PathBuf>,
    pub fresh: bool,
    pub jdk: Option<String>,
    pub json: bool,
}

const INTERRUPTED: u8 = 130;
/// Of a list for a person; the files have all.
const LISTED: usize = 50;
/// In the first line.
const NAMED: usize = 5;
/// In a log, a word now and then.
const CALM: Duration = Duration::from_secs(10);
const LIVELY: Duration = Duration::from_millis(200);

pub fn run(options: &DetectOptions) -> miette::Result<ExitCode> {
    let home = Home::find()?;
    let order = order(options, &home)?;
    if let Some(out) = &options.out {
        detection::check_writable(out).map_err(|error| BadUsage {
            message: format!("{} cannot be written: {error}", out.display()),
            help: "choose another file with --out".to_owned(),
        })?;
    }
    let interrupt = Interrupt::install()?;
    let mut progress = Progress::new();
    let ended = detection::run(&order, &home, &interrupt, &mut progress);
    progress.finish();
    match ended? {
        Ended::Interrupted(folder) => {
            let what = folder.map_or_else(
                || "nothing had been started".to_owned(),
                |folder| format!("`{}` resumes {}", resuming_command(), folder.display()),
            );
            eprintln!("interrupted: {what}");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Ended::BuildFailed { reason, log } => {
            show_failed_build(&reason, &log.display().to_string(), options.json)?;
            Ok(ExitCode::FAILURE)
        }
        Ended::Done(found) => {
            let identity = ProjectIdentity::find(&order.subject, None);
            let is_model = order.subject.is_model();
            let text = if options.json {
                pretty(&document(&found, &identity, is_model))?
            } else {
                page(&found, &identity, options.baseline, is_model)
            };
            print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn order(options: &DetectOptions, home: &Home) -> Result<DetectionRequest, BadUsage> {
    let choice = Choice { revision: options.revision.as_deref(), modules: &options.module };
    let mut subject = project::locate(&options.project, &choice, options.timeout)
        .map_err(|Refusal { message, help }| BadUsage { message, help })?;
    options.maven.apply(&mut subject)?;
    // The direct engine runs the tests, whichever Surefire the project has.
    subject.surefire = SurefireVersion::ProjectIfRecent;
    if !subject.is_model() || options.jdk.is_some() {
        subject.jdk = wanted_jdk(options.jdk.as_deref())?;
    }
    Ok(DetectionRequest {
        subject,
        strategies: (!options.strategies.is_empty()).then(|| options.strategies.clone()),
        settings: Settings { rounds: options.rounds, k: options.k, seed: options.seed },
        budget: options.budget,
        interleave: options.interleave,
        baseline: options.baseline,
        cores: MachineLimits::here().cores,
        memory_bytes: options.maven.memory_bytes,
        results: options.results.clone().unwrap_or_else(|| home.results()),
        out: options.out.as_ref().map(|out| std::path::absolute(out).unwrap_or_else(|_| out.clone())),
        fresh: options.fresh,
        build_timeout: options.timeout,
        calm: if std::io::stderr().is_terminal() { LIVELY } else { CALM },
    })
}

fn show_failed_build(reason: &str, log: &str, json: bool) -> miette::Result<()> {
    if json {
        let document = json!({
            "verdict": "build_failed", "reason": reason, "log": log, "tests": 0, "flaky": [], "order_dependent": [],
        });
        return print(&pretty(&document)?);
    }
    let lines: String = reason.lines().map(|line| format!("  {}\n", one_line(line))).collect();
    print(&format!("No test ran:\n{lines}The log is {log}\n"))
}

fn document(found: &Found, identity: &ProjectIdentity, is_model: bool) -> Value {
    let detection = &found.detection;
    json!({
        "tests": detection.tests.len(),
        "baseline": detection.baseline,
        "failing_originally": detection.failing_originally,
        "flaky": detection.flaky.iter().map(|flaky| &flaky.test).collect::<Vec<_>>(),
        "order_dependent": detection.order_dependent,
        "unconfirmed": detection.unconfirmed,
        "interleaved_only": detection.interleaved_only,
        "unexplained": detection.unexplained,
        "fresh_only": detection.fresh_only,
        "left_out": detection.left_out,
        "accidents": detection.accidents,
        "coverage": detection.coverage,
        "strategies": detection.strategies,
        "runs": detection.runs,
        "seconds": (detection.seconds * 1000.0).round() / 1000.0,
        "budget_ended": detection.budget_ended,
        "dependencies": found.dependencies,
        "dot": found.dot,
        "svg": found.svg,
        "accesses": found.accesses,
        "folder": found.folder,
        "run_dir": found.folder,
        "jdk": found.jdk,
        "project": identity,
        "notes": found.notes,
        "virtual_time": is_model,
    })
}

/// For a person: what depends on what, what to do about it, what was tried and what not.
fn page(found: &Found, identity: &ProjectIdentity, baseline: usize, is_model: bool) -> String {
    let (detection, jvms) = (&found.detection, found.words.processes);
    let mut page = if is_model { format!("! {VIRTUAL_TIME}\n") } else { String::new() };
    for finding in &found.notes {
        page.push_str(&format!("Note: {}\n", one_line(&finding.text)));
    }
    page.push_str(&headline(detection, &found.words));
    let (declared, undeclared): (Vec<OrderDependent>, Vec<OrderDependent>) =
        detection.order_dependent.iter().cloned().partition(|test| test.declared_order);
    for ((kind, causes), tests) in by_cause(&undeclared) {
        page.push_str(&section(kind, &causes, &tests));
    }
    page.push_str(&listed(
        "Rely on the order that their class declares (@TestMethodOrder); they fail only if a part of the class runs",
        &declared.iter().map(|test| test.test.to_string()).collect::<Vec<_>>(),
    ));
    let flaky: Vec<String> = detection.flaky.iter().map(|flaky| format!("{} ({})", flaky.test, flaky.seen)).collect();
    page.push_str(&listed("Flaky in any order", &flaky));
    let accident = |accident: &parade::technique::detect::ProcessAccident| {
        let what = if accident.outcome == Outcome::TimedOut { "hung" } else { "ended its process" };
        format!("{}: {what} in {}", accident.test, plural(accident.runs, "run"))
    };
    page.push_str(&listed("Hung or ended the process", &detection.accidents.iter().map(accident).collect::<Vec<_>>()));
    let left: Vec<String> = detection.left_out.iter().map(|left| format!("{}: {}", left.test, left.why)).collect();
    page.push_str(&listed("Left out of orders", &left));
    page.push_str(&listed(
        &format!("Looked order-dependent, but fresh {jvms} did not confirm it"),
        &ids(&detection.unconfirmed),
    ));
    page.push_str(&listed(
        &format!("Looks order-dependent; the budget ended before fresh {jvms} could confirm it"),
        &ids(&detection.unexplained),
    ));
    page.push_str(&listed(
        "Not reported: failed only where classes were interleaved, which no build does (--interleave reports these)",
        &ids(&detection.interleaved_only),
    ));
    page.push_str(&covered(detection, &found.words));
    page.push_str(&took(detection, baseline, &found.words));
    if found.jdk.is_some() {
        page.push_str(&format!("{}\n", one_line(&identity.line(found.jdk.as_deref()))));
    }
    page.push_str(&format!("Dependencies: {}\n", found.dependencies.display()));
    page.push_str(&format!("Graph: {} and .dot\n", found.svg.display()));
    page.push_str(&format!("As a page: parade report {}\n", found.folder.display()));
    if let Some(accesses) = &found.accesses {
        page.push_str(&format!("State that tests read and write: {}\n", accesses.display()));
    }
    page
}

fn headline(detection: &Detection, words: &Words) -> String {
    let is_finding = |test: &&OrderDependent| !test.declared_order;
    let found = detection.order_dependent.iter().filter(is_finding).count();
    let (open, tests) = (detection.unexplained.len(), detection.tests.len());
    let depend = if found == 1 || tests == 1 { "depends" } else { "depend" };
    let seem = if open == 1 { "seems" } else { "seem" };
    let of = plural(tests, "test");
    let first = match (found, open) {
        _ if tests == 0 => "There are no tests".to_owned(),
        (_, 0) => format!("{found} of {of} {depend} on the order"),
        (0, _) => format!("{open} of {of} {seem} to depend on the order: {}", open_names(detection)),
        _ => format!("{found} of {of} {depend} on the order, and {open} more {seem} to: {}", open_names(detection)),
    };
    let more = format!(
        "The budget ended before fresh {} could confirm all suspects; raise it with --budget\n",
        words.processes
    );
    format!("{first}\n{}{}", if open > 0 { more.as_str() } else { "" }, failing(detection, words))
}

/// The first of those that only seem to depend on the order; all are listed below.
fn open_names(detection: &Detection) -> String {
    let open = &detection.unexplained;
    let names = ids(&open[..open.len().min(NAMED)]).join(", ");
    if open.len() > NAMED { format!("{names} and {} more", open.len() - NAMED) } else { names }
}

/// Tests that fail anyway say little about orders.
fn failing(detection: &Detection, words: &Words) -> String {
    if detection.failing_originally == 0 {
        return String::new();
    }
    let told =
        format!("{} already in the original order", counted(detection.failing_originally, "test fails", "tests fail"));
    match words.own_command {
        "" => format!("{told}\n"),
        command => format!("{told}. If `{command}` passes, try another {}\n", words.other_tool),
    }
}

/// What tests have in common: groups that break them, groups that they need, cleaners.
type Causes = [Vec<String>; 3];

fn by_cause(tests: &[OrderDependent]) -> BTreeMap<(&'static str, Causes), Vec<&OrderDependent>> {
    let mut sections: BTreeMap<(&'static str, Causes), Vec<&OrderDependent>> = BTreeMap::new();
    let joined = |groups: &[Vec<TestId>]| groups.iter().map(|group| ids(group).join(" with ")).collect::<Vec<_>>();
    for test in tests {
        let causes = [joined(&test.polluter_groups), joined(&test.state_setter_groups), ids(&test.cleaners)];
        sections.entry((test.kind.name(), causes)).or_default().push(test);
    }
    sections
}

fn section(kind: &str, causes: &Causes, tests: &[&OrderDependent]) -> String {
    let title = match kind {
        kind if kind == Kind::Victim.name() => counted(tests.len(), "victim", "victims"),
        kind if kind == Kind::Brittle.name() => counted(tests.len(), "brittle test", "brittle tests"),
        _ => counted(tests.len(), "test that is brittle and a victim", "tests that are brittle and victims"),
    };
    let mut text = format!("\n{title}\n");
    for (what, names) in ["fails after", "passes only after", "is cleaned by"].iter().zip(causes) {
        for (place, name) in names.iter().take(LISTED).enumerate() {
            let or = if place > 0 { "or" } else { what };
            text.push_str(&format!("  {or:>17}  {}\n", one_line(name)));
        }
        if names.len() > LISTED {
            text.push_str(&format!("  {:>17}  and {} more\n", "", names.len() - LISTED));
        }
    }
    if causes.iter().all(Vec::is_empty) {
        text.push_str("  the budget ended before the cause was found\n");
    }
    for test in tests {
        let originally = if test.fails_originally { " (fails in the original order)" } else { "" };
        let partly = if test.complete { "" } else { " (not all other tests were tried)" };
        text.push_str(&format!("    {}{originally}{partly}\n", one_line(&test.test.to_string())));
    }
    text
}

fn ids(tests: &[TestId]) -> Vec<String> {
    tests.iter().map(ToString::to_string).collect()
}

fn listed(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}\n");
    lines.iter().take(LISTED).for_each(|line| text.push_str(&format!("    {}\n", one_line(line))));
    if lines.len() > LISTED {
        text.push_str(&format!("    and {} more\n", lines.len() - LISTED));
    }
    text
}

fn covered(detection: &Detection, words: &Words) -> String {
    let coverage = &detection.coverage;
    let tried: Vec<String> = detection
        .strategies
        .iter()
        .map(|tried| {
            let of = if tried.orders == tried.planned { String::new() } else { format!(" of {}", tried.planned) };
            let why = if tried.strategy == Strategy::Exhaustive {
                "were not run: they are too many"
            } else {
                "cannot make a difference"
            };
            let possible = tried.possible.map(|all| format!(" (others of {all} {why})")).unwrap_or_default();
            let fresh = if tried.fresh > 0 {
                format!(" ({} in fresh {})", tried.fresh, words.processes)
            } else {
                String::new()
            };
            format!("{} {}{of}{possible}{fresh}", tried.strategy, tried.orders)
        })
        .collect();
    let mut text = format!("\nOrders tried: {} (an order that two strategies share is run once)\n", tried.join(", "));
    if coverage.pairs > 0 {
        text.push_str(&format!(
            "Of {} ordered pairs, {} ran directly after each other, and {} ran in this order at any distance\n",
            coverage.pairs,
            percent(coverage.consecutive_share),
            percent(coverage.any_distance_share)
        ));
    }
    if detection.fresh_only > 0 {
        let count = counted(detection.fresh_only, "test ends", "tests end");
        text.push_str(&format!(
            "{count} differently in warm {0} in any order, so only fresh {0} were used for them\n",
            words.processes
        ));
    }
    text
}

/// What is not all is not 100 %.
fn percent(share: f64) -> String {
    let shown = if share < 1.0 { share.min(0.999) } else { share };
    format!("{:.1} %", shown * 100.0)
}

fn took(detection: &Detection, baseline: usize, words: &Words) -> String {
    let mut text = String::new();
    if (1..baseline).contains(&detection.baseline) {
        let times = plural(detection.baseline, "time");
        text.push_str(&format!(
            "The original order was run {times} instead of {baseline}, because the budget is \
            short\n"
        ));
    }
    let ended = if detection.budget_ended { "; the budget ended before everything was tried" } else { "" };
    let runs = detection.runs;
    text.push_str(&format!(
        "{} took {:.1} s: {} of the original order, {} of other orders, {} to find and confirm causes. {} were in fresh {jvms}, {} in \
         warm {jvms}{ended}\n",
        plural(runs.total, "run"),
        detection.seconds,
        runs.original,
        runs.orders,
        runs.causes,
        runs.fresh,
        runs.warm,
        jvms = words.processes
    ));
    text
}
