//! The tables of a report: one entry each, from which its files, its place on the page and on the terminal, and its line in
//! docs/report.md follow. CONTRIBUTING.md says how to add one.

use serde::Serialize;

use super::{DisplayTable, as_data, failures, lists, orders, origins, runs, savings, speedups, study};
use crate::data_table::DataTable;
use crate::report::page_section::PageSection;
use crate::report::study_comparison::StudyComparison;
use crate::report::{Analysis, RunReport};
use crate::shown_text::shown;
use crate::wording::plural;

pub struct TableDefinition {
    /// The name that `--table` takes. Also the name of its files, and with underscores its key in JSON.
    pub name: &'static str,
    /// `{baseline}` and `{fewest_cores}` stand for what the run has. A table for each number of cores gets that number
    /// appended. Tables of a study have titles of their own.
    pub title: &'static str,
    /// The first note below the table; the layout adds notes that depend on the run. `{screening_runs}` stands for their
    /// number.
    explanation: &'static str,
    pub section: Option<PageSection>,
    /// On the page and on the terminal, tables with a smaller rank come first. Equal ones keep the order of the list.
    rank: u8,
    outputs: &'static [TableOutput],
    /// More rows are left out, except in CSV and JSON.
    most_rows: usize,
    /// The terminal shows only the first rows: one row per test can be thousands.
    is_list: bool,
    data: TableData,
    pub(in crate::report) layout: TableLayout,
}

/// Where a table appears, besides its CSV and LaTeX files and the section of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableOutput {
    /// `report.md`, and LaTeX or Markdown without `--table`.
    Document,
    /// `parade report` without `--table`.
    Terminal,
    Json,
}

/// The rows for programs. Without a run, a table has columns only.
enum TableData {
    Run(fn(Option<&Analysis>) -> miette::Result<DataTable>),
    /// Only where the experiment names a study.
    Study(fn(Option<&StudyComparison>) -> miette::Result<DataTable>),
}

/// The rows for people.
pub(in crate::report) enum TableLayout {
    /// The columns and rows of the data.
    AsData,
    Single(fn(&Analysis) -> DisplayTable),
    /// A table for each number of cores.
    PerCoreCount(fn(&Analysis, usize) -> DisplayTable),
    /// `folded`: on the page only the first table is open, and the others are folded below this line.
    Study {
        tables: fn(&StudyComparison) -> Vec<DisplayTable>,
        folded: Option<&'static str>,
    },
}

use TableData as Data;
use TableLayout as Layout;
use TableOutput::{Document, Json, Terminal};

const DEFAULT: TableDefinition = TableDefinition {
    name: "",
    title: "",
    explanation: "",
    section: None,
    rank: 3,
    outputs: &[Document, Terminal, Json],
    most_rows: usize::MAX,
    is_list: false,
    data: Data::Run(|_| Ok(DataTable { columns: Vec::new(), rows: Vec::new() })),
    layout: Layout::AsData,
};

/// Too much detail for the terminal.
const NOT_ON_TERMINAL: &[TableOutput] = &[Document, Json];

/// In the order of documents.
pub static TABLES: &[TableDefinition] = &[
    TableDefinition {
        name: "subjects",
        title: "Subjects",
        explanation: "skipped: tests that the suite itself skips in the baseline; they are neither passed nor failed. set \
            aside: tests that did not pass in every screening run; they are not counted. deviations: changes that \
            parade made to run the subject here.",
        section: Some(PageSection::Subjects),
        rank: 0,
        data: Data::Run(|run| stored(run, |analysis| &analysis.subjects)),
        layout: Layout::Single(lists::subjects),
        ..DEFAULT
    },
    TableDefinition {
        name: "detected",
        title: "Tests that depend on the order of tests",
        explanation: "Found by `parade detect`. victim: passes alone and fails after the named tests. brittle: fails alone \
            and passes only after the named tests. suspect: the budget ended before it was confirmed. flaky: ends in \
            different ways in one and the same order. Tests of a group are joined by `with`, groups by `or`.",
        section: Some(PageSection::Detection),
        rank: 0,
        data: Data::Run(|run| stored(run, |analysis| &analysis.detection.rows)),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-statistics",
        title: "Modules and their order-dependent tests (Table 4 of the study)",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.statistics)),
        layout: Layout::Single(orders::statistics),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-techniques",
        title: "Order-dependent tests that fail, by technique (Table 5 of the study)",
        explanation: "The share of the suite's known OD tests that failed in every repetition of some unenhanced order. A \
            test counts once for all algorithms of a technique, versions and numbers of machines. Total: the share of the \
            known OD tests of all suites. n/a: no OD test is known.",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.techniques)),
        layout: Layout::Single(orders::techniques),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-algorithms",
        title: "Order-dependent tests that fail, by algorithm (Table 6 of the study)",
        explanation: "Failing tests of all suites that an algorithm ordered, of their known OD tests. Tests of several \
            cells can be the same.",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.algorithms)),
        layout: Layout::Single(orders::algorithms),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-times",
        title: "Seconds to run a suite, and to compute the dependencies of an order-dependent test (Table 7 of the study)",
        explanation: "Mean time of a search, over all tests that failed in unenhanced orders of the first version. -: no \
            test failed in the orders of the technique. Selection uses the dependencies that the other techniques found.",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.searches)),
        layout: Layout::Single(orders::searches),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-reduction",
        title: "Percent fewer failures of order-dependent tests in enhanced orders (Table 8 of the study)",
        explanation: "Failures are counted for each algorithm and number of machines; a test that fails on several \
            versions counts once. Total: of all failures. n/a: no OD test is known. -: none fails in unenhanced orders.",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.reductions)),
        layout: Layout::Single(orders::reduction),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-slowdown",
        title: "Percent longer that enhanced orders run (Table 9 of the study)",
        explanation: "The orders that differ are compared by the sum of their times. The time of an order is that of its \
            longest machine, averaged over the repetitions. Total: from the sums over all suites. =: both orders are the \
            same everywhere.",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.slowdowns)),
        layout: Layout::Single(orders::slowdown),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-failures",
        title: "Order-dependent tests that fail, by test",
        explanation: "Tests that passed in the original order and failed in every repetition of these orders: algorithms \
            with their machines, and the versions.",
        section: Some(PageSection::Orders),
        most_rows: 300,
        is_list: true,
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.failures)),
        layout: Layout::Single(orders::failures),
        ..DEFAULT
    },
    TableDefinition {
        name: "od-schedules",
        title: "P3, which considers dependencies, compared with P2",
        explanation: "Times are those of the longest machine, in seconds. expected: from the durations of the first \
            version. No schedule that respects the dependencies can end before the lower bound. P3 is not one of the \
            study's algorithms.",
        section: Some(PageSection::Orders),
        data: Data::Run(|run| stored(run, |analysis| &analysis.orders.schedules)),
        layout: Layout::Single(orders::schedules),
        ..DEFAULT
    },
    TableDefinition {
        name: "failures",
        title: "Failures after each stage",
        section: Some(PageSection::Failures),
        data: Data::Run(|run| stored(run, |analysis| &analysis.failures)),
        layout: Layout::PerCoreCount(failures::table),
        ..DEFAULT
    },
    TableDefinition {
        name: "speedups",
        title: "Speedup over {baseline}",
        section: Some(PageSection::Speed),
        data: Data::Run(|run| stored(run, |analysis| &analysis.speedups)),
        layout: Layout::PerCoreCount(speedups::full),
        ..DEFAULT
    },
    TableDefinition {
        name: STUDY_SPEEDUPS,
        title: "Speedup over {baseline}, subjects that gained",
        section: Some(PageSection::SpeedAsPublished),
        outputs: &[Document],
        data: Data::Run(|run| computed(run, speedups::gained_rows)),
        layout: Layout::PerCoreCount(speedups::as_in_the_study),
        ..DEFAULT
    },
    TableDefinition {
        name: "savings",
        title: "Time saved over {baseline}",
        explanation: "Share of the baseline's time that a configuration saves on the same cores: (baseline − candidate) / \
            baseline. A stronger colour means a larger saving (blue) or loss (orange, with a minus). Only differences that \
            the 95 % CI shows are coloured. Averages cover the comparisons with an answer (n).",
        section: Some(PageSection::Speed),
        outputs: NOT_ON_TERMINAL,
        data: Data::Run(|run| stored(run, |analysis| &analysis.savings)),
        layout: Layout::Single(savings::table),
        ..DEFAULT
    },
    TableDefinition {
        name: "concurrency",
        title: "Tests at once: requested and observed",
        explanation: "asked: forks × threads. mean: overlapping tests, weighted by time, over the repetitions. A marked \
            maximum shows a mode without effect.",
        section: Some(PageSection::Runs),
        outputs: NOT_ON_TERMINAL,
        data: Data::Run(|run| stored(run, |analysis| &analysis.concurrency)),
        layout: Layout::PerCoreCount(runs::concurrency),
        ..DEFAULT
    },
    TableDefinition {
        name: "costs",
        title: "Time, processor and memory",
        explanation: "Means over the repetitions that reached their end, failing or not. Memory is the largest peak. All \
            stages and processes count. Σ is the sum of each column.",
        section: Some(PageSection::Runs),
        outputs: NOT_ON_TERMINAL,
        data: Data::Run(|run| stored(run, |analysis| &analysis.costs)),
        layout: Layout::PerCoreCount(runs::costs),
        ..DEFAULT
    },
    TableDefinition {
        name: "scaling",
        title: "Scaling against {fewest_cores}",
        explanation: "Each configuration compared with itself on the fewest cores, clean repetitions only. Brackets: the \
            efficiency, scaling divided by the factor of cores; 100 % means that all cores are fully used. This is not a \
            speedup over the baseline. *: fewer than five runs on either number of cores; not part of any fit or figure.",
        section: Some(PageSection::Speed),
        data: Data::Run(|run| stored(run, |analysis| &analysis.scaling)),
        layout: Layout::Single(runs::scaling),
        ..DEFAULT
    },
    TableDefinition {
        name: "amdahl",
        title: "Amdahl's law over the cores",
        explanation: "scaling: geometric mean over the subjects that ran clean on every number of cores, against the \
            fewest. serial part: of the best fit by least squares of the relative times. limit: the speedup that no number \
            of cores exceeds. R²: none if there are only two points, because the law then goes through both.",
        section: Some(PageSection::Speed),
        outputs: NOT_ON_TERMINAL,
        data: Data::Run(|run| stored(run, |analysis| &analysis.fits)),
        layout: Layout::Single(runs::amdahl),
        ..DEFAULT
    },
    TableDefinition {
        name: "regressions",
        title: "Time compared with the time in {baseline}: regression over the subjects",
        explanation: "Least squares over the subjects with clean times in both. logarithmic: natural logarithms, used if \
            times span more than a factor of 30; a slope of 1 is then the same factor for short and long suites.",
        section: Some(PageSection::Runs),
        outputs: NOT_ON_TERMINAL,
        data: Data::Run(|run| stored(run, |analysis| &analysis.regressions)),
        layout: Layout::Single(runs::regressions),
        ..DEFAULT
    },
    TableDefinition {
        name: "residual",
        title: "Tests that still failed",
        explanation: "Tests that failed, crashed or were lost after all stages.",
        section: Some(PageSection::Failures),
        most_rows: 300,
        is_list: true,
        data: Data::Run(|run| stored(run, |analysis| &analysis.residual)),
        layout: Layout::Single(lists::residual),
        ..DEFAULT
    },
    TableDefinition {
        name: "incomplete",
        title: "Trials without a time",
        explanation: "Trials that did not reach the end of the suite, with the reason.",
        section: Some(PageSection::Failures),
        is_list: true,
        data: Data::Run(|run| stored(run, |analysis| &analysis.incomplete)),
        layout: Layout::Single(lists::incomplete),
        ..DEFAULT
    },
    TableDefinition {
        name: "findings",
        title: "Findings",
        explanation: "Observations about single trials.",
        section: Some(PageSection::Findings),
        most_rows: 300,
        is_list: true,
        data: Data::Run(|run| stored(run, |analysis| &analysis.findings)),
        layout: Layout::Single(lists::findings),
        ..DEFAULT
    },
    TableDefinition {
        name: "deviations",
        title: "Deviations",
        explanation: "How the subjects differ from the published projects.",
        section: Some(PageSection::Subjects),
        rank: 2,
        outputs: NOT_ON_TERMINAL,
        data: Data::Run(|run| stored(run, |analysis| &analysis.deviations)),
        ..DEFAULT
    },
    TableDefinition {
        name: "set-aside",
        title: "Tests set aside",
        explanation: "Tests that did not pass in all of {screening_runs} without parallelism. They stay in the suite, but \
            are not counted.",
        section: Some(PageSection::Subjects),
        rank: 2,
        is_list: true,
        data: Data::Run(|run| stored(run, |analysis| &analysis.set_aside)),
        ..DEFAULT
    },
    TableDefinition {
        name: "warnings",
        title: "Reasons for caution",
        outputs: &[Document],
        data: Data::Run(|run| stored(run, |analysis| &analysis.warnings)),
        layout: Layout::Single(lists::warnings),
        ..DEFAULT
    },
    TableDefinition {
        name: "origins",
        title: "Where it was measured",
        explanation: "This run was merged from other runs. The baseline and the candidate of a block always come from the \
            same machine. `origin` in trials.csv names the run of every trial.",
        section: Some(PageSection::Subjects),
        rank: 1,
        data: Data::Run(|run| stored(run, |analysis| &analysis.origins)),
        layout: Layout::Single(origins::table),
        ..DEFAULT
    },
    TableDefinition {
        name: "averages",
        title: "Averages of the speedups",
        explanation: "n: number of subjects in an average. Left out: subjects with fewer than five sound pairs, or without \
            observed concurrency.",
        // Other outputs have the averages below the speedups.
        outputs: &[Json],
        data: Data::Run(|run| stored(run, |analysis| &analysis.averages)),
        layout: Layout::Single(speedups::averages),
        ..DEFAULT
    },
    TableDefinition {
        name: "study",
        title: "The study's tables, with the run's values",
        section: Some(PageSection::Study),
        outputs: NOT_ON_TERMINAL,
        data: Data::Study(|study| DataTable::from_records(&study.map(StudyComparison::cell_rows).unwrap_or_default())),
        layout: Layout::Study { tables: study::published_tables, folded: None },
        ..DEFAULT
    },
    TableDefinition {
        name: "claims",
        title: "The study's claims, with the run's answers",
        section: Some(PageSection::Study),
        rank: 2,
        outputs: NOT_ON_TERMINAL,
        data: Data::Study(|study| DataTable::from_records(&study.map(StudyComparison::claim_rows).unwrap_or_default())),
        layout: Layout::Study { tables: study::claim_tables, folded: Some("What this run does not cover") },
        ..DEFAULT
    },
];

/// Rows that the analysis contains.
fn stored<R: Serialize + Default>(run: Option<&Analysis>, rows: fn(&Analysis) -> &[R]) -> miette::Result<DataTable> {
    DataTable::from_records(run.map_or(&[][..], rows))
}

/// Rows that a function makes from the analysis.
fn computed<R: Serialize + Default>(
    run: Option<&Analysis>,
    rows: fn(&Analysis) -> Vec<R>,
) -> miette::Result<DataTable> {
    DataTable::from_records(&run.map_or_else(Vec::new, rows))
}

/// The speedups as a study prints them: shown only where the experiment names a study.
const STUDY_SPEEDUPS: &str = "speedups-study";

impl TableDefinition {
    pub fn find(name: &str) -> Option<&'static TableDefinition> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// The tables of one output, in the order of documents.
    pub fn in_output(output: TableOutput) -> impl Iterator<Item = &'static TableDefinition> {
        TABLES.iter().filter(move |table| table.outputs.contains(&output))
    }

    /// All tables, in the order of the page and of the terminal.
    pub fn ranked() -> Vec<&'static TableDefinition> {
        let mut tables: Vec<&TableDefinition> = TABLES.iter().collect();
        tables.sort_by_key(|table| table.rank);
        tables
    }

    pub fn is_in(&self, output: TableOutput) -> bool {
        self.outputs.contains(&output)
    }

    /// Tables of a study are made from the others, where the experiment names a study.
    pub fn needs_study(&self) -> bool {
        matches!(self.data, Data::Study(_))
    }

    /// The columns of its data, without rows.
    pub fn columns(&self) -> miette::Result<Vec<String>> {
        let empty = match self.data {
            Data::Run(make) => make(None),
            Data::Study(make) => make(None),
        };
        Ok(empty?.columns)
    }

    pub(in crate::report) fn make_data(&self, report: &RunReport) -> miette::Result<DataTable> {
        match self.data {
            Data::Run(make) => make(Some(report.analysis)),
            Data::Study(make) => make(report.study()),
        }
    }

    /// Tables without rows are left out.
    pub(in crate::report) fn make_tables(&self, report: &RunReport) -> Vec<DisplayTable> {
        let analysis = report.analysis;
        let mut tables: Vec<DisplayTable> = match self.layout {
            // What cannot be tabulated fails when its CSV file is written.
            Layout::AsData => report.data(self).map(as_data::table).into_iter().collect(),
            Layout::Single(make) => vec![make(analysis)],
            Layout::PerCoreCount(make) => {
                let mut tables = Vec::new();
                for cores in &analysis.run.manifest.cores {
                    tables.push(DisplayTable { title: cores_suffix(analysis, *cores), ..make(analysis, *cores) });
                }
                tables
            }
            Layout::Study { tables, .. } => {
                report.study().filter(|study| study.subjects > 0).map_or_else(Vec::new, tables)
            }
        };
        let is_of_no_study = self.name == STUDY_SPEEDUPS && analysis.run.manifest.study.is_none();
        tables.retain(|table| !table.rows.is_empty() && !is_of_no_study);
        for table in &mut tables {
            self.complete(table, analysis);
        }
        tables
    }

    /// Adds what the definition knows to what the layout made.
    fn complete(&self, table: &mut DisplayTable, analysis: &Analysis) {
        table.name = self.name;
        table.is_list = self.is_list;
        if self.needs_study() {
            return;
        }
        let filled = |text: &str| filled(text, analysis);
        let title = if analysis.run.manifest.study.is_some() { self.title } else { without_study(self.title) };
        table.title = filled(title) + &table.title;
        if table.rows.len() > self.most_rows {
            let (most, all) = (self.most_rows, table.rows.len());
            table.notes.insert(0, format!("The first {most} of {all}; all are in {}.csv.", self.name));
            table.rows.truncate(most);
        }
        if !self.explanation.is_empty() {
            table.notes.insert(0, filled(self.explanation));
        }
    }
}

/// `Modules (Table 4 of the study)` without what it says about the study, for an experiment that has none.
fn without_study(title: &str) -> &str {
    title.split_once(" (Table ").filter(|(_, rest)| rest.ends_with("of the study)")).map_or(title, |(title, _)| title)
}

fn filled(text: &str, analysis: &Analysis) -> String {
    let manifest = &analysis.run.manifest;
    text.replace("{fewest_cores}", &plural(manifest.cores.first().copied().unwrap_or(1), "core"))
        .replace("{screening_runs}", &plural(manifest.screening as usize, "screening run"))
        .replace("{baseline}", &shown(&manifest.baseline))
}

/// ` (2 cores)` where a run has several core counts.
fn cores_suffix(analysis: &Analysis, cores: usize) -> String {
    if analysis.run.manifest.cores.len() > 1 { format!(" ({})", plural(cores, "core")) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn nothing_is_called_a_studys_where_the_experiment_has_none() {
        let told = |study: Option<&str>| {
            let mut run = sample::study();
            run.manifest.study = study.map(str::to_owned);
            let analysis = Analysis::of(&run);
            let report = RunReport::new(&analysis);
            let tables =
                TABLES.iter().filter(|table| !table.needs_study()).flat_map(|table| table.make_tables(&report));
            tables.map(|table| (table.name, table.title)).collect::<Vec<_>>()
        };
        assert!(told(Some("paste")).iter().any(|(name, _)| *name == STUDY_SPEEDUPS));
        assert!(told(None).iter().all(|(name, title)| *name != STUDY_SPEEDUPS && !title.contains("study")));
        assert_eq!(without_study("Modules (Table 4 of the study)"), "Modules");
        assert_eq!(without_study("Modules (2 cores)"), "Modules (2 cores)");
    }
}
