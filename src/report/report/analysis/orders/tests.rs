//! A run of which every cell was worked out by hand.
//!
//! | module | suite | tests | known OD tests | found by |
//! |---|---|---|---|---|
//! | M1 | human | 10 | a, b, c, d | a, b, c random orders; d only an evaluated selection |
//! | M1 | auto | 100 | none | |
//! | M2 | human | 40 | x | random orders; it fails nowhere else |
//!
//! M1 has versions of day 0, 4, 5 and 15; M2 has two of day 0 and 2.

use super::*;
use crate::engine::Parallelism;
use crate::report::RunReport;
use crate::report::sample;
use crate::report::tables::TableDefinition;
use crate::report::{Analysis, render};
use crate::store::record::tests::{subject, trial};
use crate::store::record::{
    ArrangementRecord, ConfigurationSummary, DependenciesRecord, KnowledgeRecord, ResidualTest, RunData, TrialRecord,
    Verdict, VersionRecord,
};
use crate::suite::{Outcome, TestId};
use crate::technique::{Harness, Ordering, TechniqueKind};

const DAY: i64 = 86_400;

fn test(name: &str) -> TestId {
    TestId::new("", "demo.LedgerTest", name, 1)
}

/// An order, and what became of it.
struct Ordered {
    subject: &'static str,
    algorithm: Algorithm,
    enhanced: bool,
    machines: u32,
    hash: &'static str,
    /// Of the three repetitions: what failed in each.
    failing: [&'static str; 3],
    seconds: [f64; 3],
}

impl Ordered {
    fn new(subject: &'static str, algorithm: Algorithm, failing: &'static str) -> Ordered {
        Ordered {
            subject,
            algorithm,
            enhanced: false,
            machines: 1,
            hash: "x",
            failing: [failing; 3],
            seconds: [1.0; 3],
        }
    }

    fn enhanced(subject: &'static str, algorithm: Algorithm, failing: &'static str) -> Ordered {
        Ordered { enhanced: true, hash: "y", ..Ordered::new(subject, algorithm, failing) }
    }

    fn on(self, machines: u32) -> Ordered {
        Ordered { machines, ..self }
    }

    fn taking(self, seconds: [f64; 3]) -> Ordered {
        Ordered { seconds, ..self }
    }

    /// The same order as its counterpart has.
    fn same(self) -> Ordered {
        Ordered { hash: "x", ..self }
    }

    fn configuration(&self) -> String {
        let machines = if self.algorithm.is_parallel() { format!("-{}", self.machines) } else { String::new() };
        format!("{}{machines}{}", self.algorithm, if self.enhanced { "-enhanced" } else { "" })
    }

    fn trials(&self) -> Vec<TrialRecord> {
        let configuration = self.configuration();
        (0..3)
            .map(|at| TrialRecord {
                subject: self.subject.into(),
                configuration: configuration.clone(),
                technique: self.algorithm.to_string(),
                repetition: at as u32 + 1,
                makespan_seconds: self.seconds[at],
                verdict: if self.failing[at].is_empty() { Verdict::Clean } else { Verdict::Failing },
                residual: self.failing[at].split_whitespace().map(failed).collect(),
                arrangement: Some(ArrangementRecord {
                    algorithm: self.algorithm,
                    enhanced: self.enhanced,
                    machines: self.machines,
                    order_hash: self.hash.into(),
                    tests: 10,
                    added: 0,
                    expected_seconds: self.algorithm.is_parallel().then_some(0.9),
                    lower_bound_seconds: self.algorithm.is_parallel().then_some(0.5),
                }),
                ..trial(&format!("{}.{configuration}.r{at}", self.subject))
            })
            .collect()
    }
}

fn failed(name: &str) -> ResidualTest {
    ResidualTest { test: test(name), outcome: Outcome::Failed, message: Some("expected:<0> but was:<1>".into()) }
}

fn search(algorithm: Algorithm, machines: u32, tests: &str, seconds: f64) -> DependenciesRecord {
    DependenciesRecord {
        algorithm,
        machines,
        order_dependent: tests.split_whitespace().map(test).collect(),
        seconds,
        turns: 1,
        complete: true,
    }
}

fn knowledge(subject: &str, label: &str, authorship: Authorship, tests: usize, random: &str) -> KnowledgeRecord {
    KnowledgeRecord {
        subject: subject.into(),
        label: Some(label.into()),
        authorship,
        tests,
        suite_seconds: 2.0,
        source_lines: (authorship == Authorship::Human).then_some(1000),
        test_lines: (authorship == Authorship::Human).then_some(500),
        rounds: 100,
        order_dependent: random.split_whitespace().map(test).collect(),
        dependencies: Vec::new(),
        notes: Vec::new(),
    }
}

fn orders_of_m1() -> Vec<Ordered> {
    use Algorithm::{P1, P2, P3, S1, S2, T1, T2};
    vec![
        // b does not fail in all repetitions, so it is no failure.
        Ordered { failing: ["a b", "a b", "a"], ..Ordered::new("one.v02", T1, "") },
        Ordered::new("one.v02", T2, "a b"),
        Ordered::enhanced("one.v02", T1, ""),
        Ordered::enhanced("one.v02", T2, "b"),
        // a fails on two versions and counts once.
        Ordered::new("one.v02", S1, "a").taking([1.0, 2.0, 3.0]),
        Ordered::new("one.v03", S1, "a").taking([4.0; 3]),
        Ordered::new("one.v04", S1, ""),
        Ordered::enhanced("one.v02", S1, "").taking([2.0, 3.0, 4.0]),
        Ordered::enhanced("one.v03", S1, "").taking([4.5; 3]),
        Ordered::enhanced("one.v04", S1, "").same().taking([9.0; 3]),
        Ordered::new("one.v02", S2, ""),
        Ordered::new("one.v03", S2, "d"),
        Ordered::enhanced("one.v02", S2, "").same(),
        Ordered::enhanced("one.v03", S2, "d c").same(),
        Ordered::new("one.v02", P1, "").on(2),
        Ordered::enhanced("one.v02", P1, "").on(2).same(),
        // Unenhanced, c fails on 2 machines and on 4.
        Ordered::new("one.v02", P2, "c").on(2).taking([4.0; 3]),
        Ordered::new("one.v02", P2, "c").on(4).taking([2.0; 3]),
        Ordered::enhanced("one.v02", P2, "").on(2).taking([5.0; 3]),
        Ordered::enhanced("one.v02", P2, "c").on(4).taking([2.5; 3]),
        Ordered::enhanced("one.v02", P3, "").on(2).taking([3.5; 3]),
    ]
}

fn orders_of_others() -> Vec<Ordered> {
    use Algorithm::{P2, S1, T1, T2};
    vec![
        Ordered::new("one-auto.v02", T1, ""),
        Ordered::enhanced("one-auto.v02", T1, ""),
        Ordered::new("one-auto.v02", S1, ""),
        Ordered::enhanced("one-auto.v02", S1, "").same(),
        Ordered::new("two.v02", T1, ""),
        Ordered::enhanced("two.v02", T1, ""),
        Ordered::new("two.v02", T2, ""),
        Ordered::new("two.v02", P2, "").on(2).taking([10.0; 3]),
        Ordered::enhanced("two.v02", P2, "").on(2).taking([9.5; 3]),
    ]
}

fn configurations() -> Vec<ConfigurationSummary> {
    let mut found: Vec<ConfigurationSummary> = Vec::new();
    for order in orders_of_m1() {
        let name = order.configuration();
        if found.iter().all(|known| known.name != name) {
            let (algorithm, enhanced, machines) = (order.algorithm, order.enhanced, order.machines);
            found.push(ConfigurationSummary {
                name,
                technique: TechniqueKind::Ordered(algorithm),
                parallelism: Parallelism::SEQUENTIAL,
                harness: Harness::default(),
                ordering: Some(Ordering { algorithm, enhanced, machines }),
            });
        }
    }
    found
}

/// The run described above.
pub(in crate::report) fn run() -> RunData {
    let mut run = sample::empty();
    run.manifest.trials.clear();
    run.manifest.study = Some("lam".into());
    run.manifest.repetitions = 3;
    run.subjects.clear();
    for (name, days) in [("one", &[0, 4, 5, 15][..]), ("one-auto", &[0, 4]), ("two", &[0, 2])] {
        for (at, day) in days.iter().enumerate() {
            let mut record = subject(&format!("{name}.v{:02}", at + 1));
            record.origin = format!("https://github.com/example/{name}.git");
            record.version = Some(VersionRecord {
                of: name.into(),
                number: at as u32 + 1,
                count: days.len() as u32,
                committed_at: jiff::Timestamp::from_second(day * DAY).ok(),
            });
            run.subjects.push(record);
        }
    }
    run.manifest.subjects = run.subjects.iter().map(|record| record.subject.clone()).collect();
    run.manifest.configurations = configurations();
    run.trials = orders_of_m1().iter().chain(&orders_of_others()).flat_map(Ordered::trials).collect();
    let mut first = knowledge("one", "M1", Authorship::Human, 10, "a b c");
    first.dependencies = vec![
        search(Algorithm::T1, 1, "a", 10.0),
        search(Algorithm::T2, 1, "a b", 50.0),
        search(Algorithm::T3, 1, "", 7.0),
        search(Algorithm::P2, 2, "c", 20.0),
    ];
    let mut third = knowledge("two", "M2", Authorship::Human, 40, "x");
    third.dependencies = vec![search(Algorithm::T1, 1, "", 3.0)];
    run.knowledge = vec![third, first, knowledge("one-auto", "M1", Authorship::Auto, 100, "")];
    run
}

/// A table as rows of texts.
fn printed(run: &RunData, name: &str) -> Vec<Vec<String>> {
    let tables = RunReport::new(&Analysis::of(run)).tables(TableDefinition::find(name).unwrap());
    let rows = tables.iter().flat_map(|table| &table.rows);
    rows.map(|row| row.cells.iter().map(|cell| cell.text.clone()).collect()).collect()
}

#[test]
fn table_4_sums_tests_and_averages_over_all_pairs_of_versions() {
    // Days of M1: 4, 1, 10; of M2: 2. All four: mean 4.25, median 3.
    assert_eq!(
        printed(&run(), "od-statistics"),
        [
            ["M1", "example/one", "1000", "500", "10", "100", "3 (30%)", "0 (0%)", "4", "5", "4"],
            ["M2", "example/two", "1000", "500", "40", "", "1 (2%)", "", "2", "2", "2"],
            ["Total / Average / Median", "", "2000", "1000", "50", "100", "4 (8%)", "0 (0%)", "6", "4", "3"],
        ]
    );
}

#[test]
fn table_5_is_of_known_tests_and_combines_algorithms_versions_and_machines() {
    // M1, 4 known: T a, b; S a, d; P c. M2, 1 known: none. Total of 5 known; M2 has no selection: of 4 there.
    assert_eq!(
        printed(&run(), "od-techniques"),
        [
            ["M1", "50%", "n/a", "50%", "n/a", "25%", "not run"],
            ["M2", "0%", "", "not run", "", "0%", ""],
            ["Total", "40%", "n/a", "50%", "n/a", "20%", "not run"],
        ]
    );
}

#[test]
fn table_6_is_of_the_suites_that_an_algorithm_ordered() {
    // T1: a of 5; T2: a, b of 5; S1: a of 4; S2: d of 4; P1: none of 4; P2: c of 5.
    let none = "not run";
    assert_eq!(
        printed(&run(), "od-algorithms"),
        [
            ["Human", "20%", "40%", none, none, "25%", "25%", none, none, none, none, "0%", "20%"],
            ["Auto", "n/a", none, none, none, "n/a", none, none, none, none, none, none, none],
        ]
    );
}

#[test]
fn table_7_divides_the_time_of_all_searches_by_all_failing_tests() {
    // T: (10 + 50) / 3; P: 20 / 1; together: 80 / 4. T3 found nothing, and its time is no search.
    assert_eq!(
        printed(&run(), "od-times"),
        [
            ["M1", "2.0", "2.0", "20", "not run", "20", "not run", "20", "not run"],
            ["M2", "2.0", "", "-", "", "not run", "", "-", ""],
        ]
    );
    let mut run = run();
    run.knowledge[1].dependencies[3].seconds = 60.0;
    assert_eq!(printed(&run, "od-times")[0][3..], ["20", "not run", "60", "not run", "30", "not run"]);
}

#[test]
fn table_8_counts_failures_of_each_algorithm_and_number_of_machines() {
    // M1: T 1 + 2 before, 0 + 1 after: 67 %. S: a + d before, 0 + {c, d} after: 0 %. P: 2 before (2 and 4 machines), 1 after.
    // M2: nothing failed.
    assert_eq!(
        printed(&run(), "od-reduction"),
        [
            ["M1", "67%", "n/a", "0%", "n/a", "50%", "not run"],
            ["M2", "-", "", "not run", "", "-", ""],
            ["Total", "67%", "n/a", "0%", "n/a", "50%", "not run"],
        ]
    );
}

#[test]
fn more_failures_are_a_negative_reduction() {
    let mut run = run();
    let mut worse = Ordered::enhanced("one.v03", Algorithm::S1, "b c d").trials();
    run.trials.retain(|trial| !(trial.subject == "one.v03" && trial.configuration == "S1-enhanced"));
    run.trials.append(&mut worse);
    // Before: a, d. After: {b, c, d} and {c, d}: 5 failures.
    assert_eq!(printed(&run, "od-reduction")[0][3], "-150%");
}

#[test]
fn table_9_sums_the_times_of_orders_that_differ() {
    // S of M1: 2 + 4 before, 3 + 4.5 after: 25 %. P of M1: 4 + 2, 5 + 2.5: 25 %; of M2: 10, 9.5: -5 %; all: 16, 17: 6 %.
    assert_eq!(
        printed(&run(), "od-slowdown"),
        [
            ["M1", "25%", "=", "25%", "not run"],
            ["M2", "not run", "", "-5%", ""],
            ["Total", "25%", "=", "6%", "not run"],
        ]
    );
}

#[test]
fn every_failing_test_is_listed_with_its_algorithms_machines_and_versions() {
    assert_eq!(
        printed(&run(), "od-failures").iter().map(|row| &row[2..5]).collect::<Vec<_>>(),
        [
            ["demo.LedgerTest#a", "T1 T2 on v02; S1 on v02 v03", ""],
            ["demo.LedgerTest#b", "T2 on v02", "T2 on v02"],
            ["demo.LedgerTest#c", "P2/2 P2/4 on v02", "P2/4 on v02; S2 on v03"],
            ["demo.LedgerTest#d", "S2 on v03", "S2 on v03"],
        ]
    );
    let flat = &Analysis::of(&run()).orders.failures;
    let of_a: Vec<_> = flat.iter().filter(|row| row.test.ends_with("#a")).collect();
    let flat: Vec<_> = of_a.iter().map(|row| (row.algorithm, row.versions.as_str(), row.of_versions)).collect();
    assert_eq!(flat, [("T1", "v02", 1), ("T2", "v02", 1), ("S1", "v02 v03", 3)]);
}

#[test]
fn p3_stands_beside_p2() {
    assert_eq!(
        printed(&run(), "od-schedules"),
        [["M1", "Human", "2", "2", "4.00", "1", "5.00", "0", "3.50", "0", "0.90", "0.90", "0.50"]]
    );
}

#[test]
fn the_headline_speaks_of_orders_and_not_of_speed() {
    let analysis = Analysis::of(&run());
    assert_eq!((&analysis.headline.speed, analysis.speedups.len(), analysis.failures.len()), (&None, 0, 0));
    // a, b, c, d of a, b, c, d, x. Before 3 + 2 + 2 failures, after 1 + 2 + 1. Times: 6 + 16 before, 7.5 + 17 after.
    assert_eq!(
        analysis.headline.orders.as_deref(),
        Some(
            "Orders of algorithms made 4 of 5 known order-dependent tests fail; enhanced orders have 43 % fewer failures \
             (4 instead of 7), and those that differ take 11 % longer."
        )
    );
}

#[test]
fn tests_that_only_these_orders_made_known_are_called_so() {
    let mut orders = Analysis::of(&run()).orders;
    orders.statistics.iter_mut().for_each(|row| row.rounds = 0);
    let told = orders.sentence().unwrap();
    let start = "Orders of algorithms made 4 of 5 known order-dependent tests fail (known only from these orders: no random \
                 orders were run);";
    assert!(told.starts_with(start), "{told}");
}

#[test]
fn a_run_without_known_tests_says_so() {
    let mut run = run();
    run.knowledge.iter_mut().for_each(|record| {
        record.order_dependent.clear();
        record.dependencies.clear();
    });
    run.trials.iter_mut().for_each(|trial| trial.residual.clear());
    let analysis = Analysis::of(&run);
    assert!(analysis.headline.orders.unwrap().contains("nor did 100 random orders"));
    assert_eq!(printed(&run, "od-techniques")[0][1..4], ["n/a", "n/a", "n/a"]);
    assert_eq!(printed(&run, "od-reduction")[2][1], "n/a");
}

#[test]
fn tests_behind_a_failed_fixture_have_failed() {
    let mut run = run();
    for trial in run.trials.iter_mut().filter(|trial| trial.configuration == "T1") {
        let lost = |class: &str, name: &str, outcome| ResidualTest {
            test: TestId::new("", class, name, 1),
            outcome,
            message: None,
        };
        trial.residual = vec![
            lost("demo.LedgerTest", TestId::WHOLE_CLASS, Outcome::Error),
            lost("demo.LedgerTest$Inner", "nested", Outcome::NotRun),
            lost("demo.OtherTest", "elsewhere", Outcome::NotRun),
        ];
    }
    let failures = Analysis::of(&run).orders.failures;
    let tests: Vec<&str> = failures.iter().filter(|row| row.algorithm == "T1").map(|row| row.test.as_str()).collect();
    // In both suites of M1, and in M2.
    assert_eq!(tests, ["demo.LedgerTest$Inner#nested"; 3]);
}

#[test]
fn without_algorithms_there_is_nothing_of_this() {
    let analysis = sample::studied();
    assert!(analysis.orders.is_empty() && analysis.headline.orders.is_none() && analysis.headline.speed.is_some());
    for name in ["od-statistics", "od-techniques", "od-reduction", "od-slowdown"] {
        assert!(RunReport::new(analysis).tables(TableDefinition::find(name).unwrap()).is_empty());
    }
}

#[test]
fn every_form_of_the_report_has_the_tables() {
    let analysis = Analysis::of(&run());
    let report = RunReport::new(&analysis);
    let page = render::html::render(&report, &crate::report::Details::default()).unwrap();
    let style = render::terminal::Style { width: 120, colour: false };
    let texts = [page, render::terminal::render(&analysis, style), render::markdown::render(&report)];
    for table in 4..=9 {
        assert!(texts.iter().all(|text| text.contains(&format!("(Table {table} of the study)"))), "{table}");
    }
    assert!(texts.iter().all(|text| text.contains(analysis.headline.orders.as_deref().unwrap())
        || text.replace('\n', " ").contains(analysis.headline.orders.as_deref().unwrap())));
}

#[test]
fn the_study_is_compared_where_labels_match() {
    let analysis = Analysis::of(&run());
    let report = RunReport::new(&analysis);
    let comparison = report.study().unwrap();
    assert_eq!((comparison.subjects, comparison.study_subjects), (2, 11));
    let rows = comparison.cell_rows();
    let found = |table: &str, row: &str, column: &str| {
        let row = rows.iter().find(|each| each.table == table && each.row == row && each.column.ends_with(column));
        row.map(|row| (row.published.clone(), row.own.map(|own| own.round()), row.own_text.clone(), row.verdict))
    };
    let cell = |published: &str, own: Option<f64>, text: Option<&str>, verdict| {
        Some((published.to_owned(), own, text.map(str::to_owned), verdict))
    };
    assert_eq!(found("table-5", "M1", "Prioritization/Human"), cell("50%", Some(50.0), None, "reproduced"));
    assert_eq!(found("table-5", "M1", "Selection/Auto"), cell("n/a", None, Some("n/a"), "reproduced"));
    // Of the published rows of M1 and M2: 1 of 2 and 2 of 3 OD tests; of the run 2 of 5.
    assert_eq!(found("table-5", "Total", "Prioritization/Human"), cell("23%", Some(40.0), None, "direction_only"));
    assert_eq!(found("table-7", "M2", "Prioritization/Human"), cell("95", None, Some("-"), "not_reproduced"));
    assert_eq!(found("table-8", "M2", "Parallelization/Human"), cell("-", None, Some("-"), "reproduced"));
    assert_eq!(found("table-9", "M1", "Selection/Auto"), cell("=", None, Some("="), "reproduced"));
    assert_eq!(found("table-9", "M1", "Selection/Human"), cell("9%", Some(25.0), None, "direction_only"));
}
