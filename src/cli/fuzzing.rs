//! Every reader of text that parade did not write itself, under one roof: for the fuzzer in `fuzz/`, and for the test that
//! replays what it found. Nothing of parade uses this.
//!
//! A target takes any bytes. It must not panic, hang or fill the memory, and where what was read has properties that the
//! rest of parade relies on, it checks them.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::columns;
use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{Forks, Mode, Parallelism, Resources, RunRequest, Session};
use crate::experiment::{self, Filter, MachineLimits, Outlook, Plan};
use crate::java::changes::compare;
use crate::java::direct;
use crate::java::jdks;
use crate::java::maven::{self, Clock, Handshake};
use crate::process::{self, wire};
use crate::report::{Analysis, Details, RunReport, TABLES, render};
use crate::stats;
use crate::store::record::{Environment, RunManifest};
use crate::store::{self};
use crate::study::{ClaimAnswer, Document, Files, Library};
use crate::subject::address;
use crate::suite::{Change, Coverage, DependencyGraph, Durations, Notation, TestId, Unit};

/// A reader by name.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 20] = [
    Target { name: "experiment", run: experiment },
    Target { name: "filter", run: filter },
    Target { name: "model", run: model },
    Target { name: "dependencies", run: dependencies },
    Target { name: "coverage", run: coverage },
    Target { name: "changes", run: changes },
    Target { name: "durations", run: durations },
    Target { name: "test-id", run: test_id },
    Target { name: "events", run: events },
    Target { name: "handshake", run: handshake },
    Target { name: "surefire-report", run: surefire_report },
    Target { name: "build-log", run: build_log },
    Target { name: "records", run: records },
    Target { name: "wire", run: wire },
    Target { name: "address", run: address },
    Target { name: "toolchains", run: toolchains },
    Target { name: "study", run: study },
    Target { name: "columns", run: columns },
    Target { name: "traces", run: traces },
    Target { name: "java-change", run: java_change },
];

/// Model suites beyond this are only read: what they do takes the time it takes.
const MODEL_TESTS: usize = 40;

const MACHINE: MachineLimits = MachineLimits { cores: 8, memory_bytes: 16 << 30 };

const RUN: Clock = Clock { monotonic_nanos: 5_000_000_000, epoch_micros: 1_000_000_000_000 };

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn experiment(bytes: &[u8]) {
    match experiment::parse(bytes.to_vec(), Path::new("fuzz/experiment.toml"), &MACHINE) {
        Ok(loaded) => {
            let published = loaded.published_text();
            assert_eq!(
                crate::redaction::redact(&published),
                published,
                "what was taken out leaves nothing to take out"
            );
            // Plans of many trials are sound, and slow to make by the thousand.
            let planned = loaded.experiment.quick();
            let plan = Plan::of(&planned);
            let ids: BTreeSet<&str> = plan.trials.iter().map(|trial| trial.id.as_str()).collect();
            assert_eq!(ids.len(), plan.trials.len(), "two trials share an identity");
            drop(Outlook::of(&planned, &plan));
        }
        Err(mistakes) => {
            assert!(mistakes.count() > 0);
            drop(format!("{:?}", miette::Report::new(mistakes)));
        }
    }
}

fn filter(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let trial = experiment::Trial {
        id: "0".to_owned(),
        subject: "commons-io".to_owned(),
        configuration: "classes".to_owned(),
        cores: 2,
        repetition: 1,
    };
    if let Ok(filter) = Filter::parse(&text.lines().collect::<Vec<_>>()) {
        let _ = filter.apply(&Plan { trials: vec![trial] });
    }
}

fn model(bytes: &[u8]) {
    let Some(suite) = text(bytes).and_then(|text| ModelSuite::parse(text).ok()) else { return };
    if suite.tests.len() > MODEL_TESTS {
        return;
    }
    let mut session = ModelSession::new(suite, 7);
    for mode in Mode::ALL {
        let Ok(run) = session.run(&request(mode)) else { continue };
        assert!(run.executions.len() <= session.tests().len());
        assert!(run.executions.iter().all(|execution| execution.seconds >= 0.0), "a test ends before it starts");
    }
}

fn request(mode: Mode) -> RunRequest {
    RunRequest {
        parallelism: Parallelism {
            mode,
            threads: 3,
            threads_per_core: false,
            forks: Forks::Count(2),
            reuse_forks: true,
            modules: None,
        },
        ..RunRequest::sequential(
            "stage-1",
            Resources { cores: 4, memory_bytes: None, logs: "logs".into() },
            Duration::from_secs(3600),
        )
    }
}

fn dependencies(bytes: &[u8]) {
    let mut suite = BTreeSet::new();
    let parsed = text(bytes).map(|text| {
        DependencyGraph::parse(text, |named| {
            suite.extend(named.iter().copied().cloned());
            suite.iter().cloned().collect()
        })
    });
    let Some(Ok(graph)) = parsed else { return };
    let sorted = graph.sort(&suite);
    assert_eq!(sorted.iter().cloned().collect::<BTreeSet<_>>(), suite, "sorting loses nothing");
    for test in suite.iter().take(20) {
        let closure = graph.closure(std::slice::from_ref(test));
        let order = graph.sort(&closure);
        let position = |wanted: &TestId| order.iter().position(|test| test == wanted);
        let met = graph.prerequisites(test).iter().all(|needed| position(needed) < position(test));
        assert!(met, "{test} comes before what it needs");
    }
}

/// Either notation: what begins with a brace is JSON.
fn notation(text: &str) -> Notation {
    if text.starts_with('{') { Notation::Json } else { Notation::Toml }
}

fn coverage(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(coverage) = Coverage::parse(text, notation(text)) else { return };
    assert!(coverage.touched_by(&Change::default(), Unit::Method).is_empty());
}

fn changes(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(change) = Change::parse(text, notation(text)) else { return };
    for element in change.elements() {
        assert_eq!(element.to_string().parse().as_ref(), Ok(element));
    }
}

fn traces(bytes: &[u8]) {
    direct::read_traces(bytes);
}

/// Two versions of a source file, with a zero between them.
fn java_change(bytes: &[u8]) {
    let (old, new) = bytes.split_at(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    let executable: Vec<u32> = (1..100).collect();
    let Ok(touched) = compare(old, new, &executable) else { return };
    assert!(touched.lines().all(|line| executable.contains(&line)));
    assert!(compare(old, old, &executable).is_ok_and(|none| none.lines().next().is_none()));
}

fn durations(bytes: &[u8]) {
    let Some(Ok(durations)) = text(bytes).map(Durations::parse) else { return };
    let test = TestId::new("", "C", "a", 1);
    assert!(durations.for_suite(&[test]).iter().all(|seconds| *seconds >= 0.0));
}

fn test_id(bytes: &[u8]) {
    let Some(Ok(id)) = text(bytes).map(str::parse::<TestId>) else { return };
    assert_eq!(id.to_string().parse(), Ok(id));
}

fn events(bytes: &[u8]) {
    let Ok(observed) = maven::observe_process(bytes, "module", RUN) else { return };
    let count = observed.observations.len();
    let identified = maven::identify(observed.observations, &[]);
    let ids: BTreeSet<&TestId> = identified.iter().map(|one| &one.execution.test).collect();
    assert_eq!((identified.len(), ids.len()), (count, count), "every execution has an identity of its own");
    let sound = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    assert!(identified.iter().all(|one| sound(one.execution.start) && sound(one.execution.seconds)));
}

fn handshake(bytes: &[u8]) {
    drop(Handshake::from_lines(bytes));
}

fn surefire_report(bytes: &[u8]) {
    let mut executions = Vec::new();
    let _ = crate::junit_report::read_report(bytes, "module", RUN, &mut |execution| executions.push(execution));
    let sound = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    assert!(executions.iter().all(|execution| sound(execution.start) && sound(execution.seconds)));
}

fn build_log(bytes: &[u8]) {
    for lines in [maven::decisive_lines_in(bytes), maven::dead_workers_in(bytes)] {
        assert!(lines.len() <= 12 && lines.iter().all(|line| line.len() <= 400), "more than a person reads");
    }
}

/// The manifest of a run on the first line, its journal on the others; and the report that is made of both.
fn records(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (first, rest) = bytes.split_at(end);
    let journal = rest.get(1..).unwrap_or_default();
    let entries = store::read_entries(journal, Path::new("journal.jsonl"));
    let manifest = serde_json::from_slice::<RunManifest>(first);
    drop(serde_json::from_slice::<Environment>(first));
    let (Ok((entries, intact)), Ok(manifest)) = (entries, manifest) else { return };
    assert!(intact <= journal.len() as u64);
    let analysis = Analysis::of(&store::assemble(manifest, Environment::default(), entries));
    let report = RunReport::new(&analysis);
    drop((render::latex::render(&analysis, &report.document_tables()), render::markdown::render(&report)));
    drop(render::terminal::render(&analysis, render::terminal::Style { width: 80, colour: false }));
    for table in TABLES {
        render::csv::render(&report, table).expect("any table can be written as CSV");
    }
    render::json::render(&report, Path::new("run"), None).expect("any analysis can be written as JSON");
    render::html::render(&report, &Details::default()).expect("any analysis can be written as a page");
}

fn wire(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    drop(serde_json::from_str::<wire::Order>(text));
    drop(serde_json::from_str::<wire::Report>(text));
    drop(serde_json::from_str::<wire::Launch>(text));
    drop(serde_json::from_str::<wire::Launched>(text));
    let _ = process::parse_stat(bytes);
}

/// A repository's address on the first line, a submodule's on the second.
fn address(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (url, other) = text.split_once('\n').unwrap_or((text, ""));
    let shown = crate::redaction::redact(url);
    assert_eq!(crate::redaction::redact(&shown), shown, "a second look finds another secret");
    assert_eq!(
        crate::redaction::without_secrets(&crate::redaction::without_secrets(url)),
        crate::redaction::without_secrets(url)
    );
    let name = address::folder_name(url);
    assert!(name.len() <= 80 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
    let given = address::for_libgit2(url);
    if address::is_local(url) && !url.starts_with("file://") {
        assert_eq!(address::local_path(&given), Some(url.into()), "libgit2 is given another path");
    }
    if let Some(submodule) = address::submodule_url(url, other) {
        drop((address::may_refer_to(url, &submodule), address::absolute(&submodule)));
    }
}

fn toolchains(bytes: &[u8]) {
    let mut homes = Vec::new();
    let _ = jdks::maven_toolchains::homes_in(bytes, &mut homes);
    assert!(homes.len() <= 100 && homes.iter().all(|home| home.is_absolute()), "{homes:?}");
}

/// A claims file and, after a zero byte, a table.
fn columns(bytes: &[u8]) {
    let Ok(columns) = columns::parse(bytes, "fuzz/columns.csv", "A", "B") else { return };
    assert!(columns.pairs.iter().all(|(a, b)| a.is_finite() && b.is_finite()));
    let few = &columns.pairs[..columns.pairs.len().min(60)];
    let test = stats::wilcoxon(few);
    assert!(test.is_none_or(|test| (0.0..=1.0).contains(&test.p)));
    assert!(stats::hodges_lehmann(few, 0.95).is_none_or(|shift| shift.estimate.is_finite()));
}

fn study(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let document = |stem: &str, bytes: &[u8]| Document {
        stem: stem.to_owned(),
        path: format!("fuzz/{stem}"),
        bytes: bytes.to_vec(),
    };
    let table = document("table-1", bytes.get(at + 1..).unwrap_or_default());
    let claims = document("claims", &bytes[..at]);
    let library = Library::from_files(
        vec![Files { name: "s".to_owned(), claims, tables: vec![table] }],
        crate::report::run_report::empty_run_tables(),
    );
    let Some(Ok(study)) = library.study("s") else { return };
    for (audited, claim) in library.audit(study).into_iter().zip(&study.claims) {
        if let Some(ClaimAnswer::Number(number)) = audited.recomputed {
            assert!(number.is_finite(), "{number}");
            assert!(audited.low.is_none_or(|low| low <= number) && audited.high.is_none_or(|high| number <= high));
        }
        library.explain(study, claim);
    }
}
