//! The report as one page that needs nothing else: styles and figures are inside, no script runs, nothing is requested.
//!
//! The template escapes every value; only the figures, which are drawn here, go in as markup.

use miette::miette;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use super::NOT_FOR_PUBLICATION;
use crate::engine::{EngineKind, Mode};
use crate::experiment::{Harness, TechniqueKind};
use crate::report::Analysis;
use crate::report::figures::Figure;
use crate::report::tables::{Align, Cell, Table, TableName, Tone};
use crate::report::text::{bytes, shown};
use crate::store::record::ConfigurationSummary;
use crate::wording::plural;

/// Longer texts are given a wider column.
const LONG_TEXT: usize = 28;

const TEMPLATE: &str = include_str!("../templates/report.html");
pub(super) const STYLES: &str = include_str!("../templates/report.css");

pub fn render(analysis: &Analysis) -> miette::Result<String> {
    let failed = |error: minijinja::Error| miette!("the report page could not be made: {error:#}");
    let mut environment = environment().map_err(failed)?;
    environment.add_template("report.html", TEMPLATE).map_err(failed)?;
    let page = Page::of(analysis)?;
    environment.get_template("report.html").and_then(|t| t.render(Serde(&page))).map_err(failed)
}

/// Every value is escaped, and one that is not there is a mistake.
pub(super) fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    Ok(environment)
}

#[derive(Serialize)]
struct Page {
    styles: &'static str,
    experiment: String,
    study: Option<String>,
    quick: Option<&'static str>,
    headline: String,
    repair: Option<String>,
    cards: Vec<Card>,
    warnings: Vec<WarningView>,
    sections: Vec<Section>,
    facts: Vec<Fact>,
    limits: Vec<String>,
    configurations: Vec<Fact>,
    started: String,
    parade: String,
}

#[derive(Serialize)]
struct Card {
    label: &'static str,
    value: String,
    detail: String,
}

#[derive(Serialize)]
struct WarningView {
    place: Option<String>,
    text: String,
}

#[derive(Serialize)]
struct Fact {
    term: String,
    value: String,
}

#[derive(Serialize)]
struct Section {
    id: &'static str,
    title: &'static str,
    figures: Vec<FigureView>,
    tables: Vec<TableView>,
    /// Shown only when opened: what repeats the rest in the study's own selection.
    folded: Option<Folded>,
}

#[derive(Serialize)]
struct Folded {
    title: &'static str,
    figures: Vec<FigureView>,
    tables: Vec<TableView>,
}

#[derive(Serialize)]
struct FigureView {
    name: &'static str,
    title: String,
    caption: String,
    svg: String,
}

#[derive(Serialize)]
pub(super) struct TableView {
    name: &'static str,
    title: String,
    groups: Vec<GroupView>,
    heads: Vec<HeadView>,
    rows: Vec<RowView>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct GroupView {
    label: String,
    span: usize,
}

#[derive(Serialize)]
struct HeadView {
    label: String,
    class: String,
}

#[derive(Serialize)]
struct RowView {
    is_summary: bool,
    cells: Vec<CellView>,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    class: String,
    hint: Option<String>,
}

impl Page {
    fn of(analysis: &Analysis) -> miette::Result<Page> {
        let run = &analysis.run;
        Ok(Page {
            styles: STYLES,
            experiment: shown(&run.manifest.experiment),
            study: run.manifest.study.as_deref().map(shown),
            quick: run.manifest.quick.then_some(NOT_FOR_PUBLICATION),
            headline: analysis.headline.speed.clone(),
            repair: analysis.headline.repair.clone(),
            cards: cards(analysis),
            warnings: warnings(analysis),
            sections: sections(analysis)?,
            facts: facts(analysis),
            limits: analysis.machine.limits.iter().map(|limit| shown(limit)).collect(),
            configurations: run.manifest.configurations.iter().map(configuration).collect(),
            started: run.manifest.started_at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
            parade: shown(&run.manifest.parade),
        })
    }
}

fn cards(analysis: &Analysis) -> Vec<Card> {
    let (headline, run) = (&analysis.headline, &analysis.run);
    let mut cards = vec![Card {
        label: "Subjects that gained",
        value: format!("{} of {}", headline.gained, headline.subjects),
        detail: "from at least one configuration".to_owned(),
    }];
    if let Some(best) = &headline.best {
        let place =
            format!("{} on {}, {}", shown(&best.configuration), shown(&best.subject), plural(best.cores, "core"));
        cards.push(Card { label: "Best speedup", value: format!("{:.2}×", best.speedup), detail: place });
    }
    if headline.repair.is_some() {
        let left = headline.provoked - headline.repaired;
        cards.push(Card {
            label: "Failures repaired",
            value: format!("{} of {}", headline.repaired, headline.provoked),
            detail: if left == 0 { "none is left".to_owned() } else { format!("{left} left after the last stage") },
        });
    }
    cards.push(Card {
        label: "Trials",
        value: format!("{} of {}", run.finished_trials, run.planned_trials),
        detail: format!("{} each", plural(run.manifest.repetitions as usize, "repetition")),
    });
    cards
}

fn warnings(analysis: &Analysis) -> Vec<WarningView> {
    analysis.warnings.iter().map(|w| WarningView { place: w.place(), text: w.text.clone() }).collect()
}

fn sections(analysis: &Analysis) -> miette::Result<Vec<Section>> {
    let figures = Figure::all(analysis);
    let of_the_study = |study: bool| {
        let chosen = figures.iter().filter(move |figure| figure.is_of_the_study() == study);
        chosen.map(figure_view).collect::<miette::Result<Vec<FigureView>>>()
    };
    let tables = |names: &[TableName]| -> Vec<TableView> {
        names.iter().flat_map(|name| Table::named(analysis, *name)).map(|table| table_view(&table)).collect()
    };
    let as_printed = Folded {
        title: "As in the study: only subjects that gained",
        figures: of_the_study(true)?,
        tables: tables(&[TableName::SpeedupsStudy]),
    };
    let section = |id, title, names: &[TableName]| Section {
        id,
        title,
        figures: Vec::new(),
        tables: tables(names),
        folded: None,
    };
    let mut sections = vec![
        Section {
            figures: of_the_study(false)?,
            folded: (!as_printed.tables.is_empty()).then_some(as_printed),
            ..section("speed", "Is it faster?", &[TableName::Speedups, TableName::Scaling])
        },
        section("failures", "Does it still pass?", &[TableName::Failures, TableName::Residual, TableName::Incomplete]),
        section("runs", "What did the runs take?", &[TableName::Concurrency, TableName::Costs]),
        section(
            "subjects",
            "What was run?",
            &[TableName::Subjects, TableName::Origins, TableName::Deviations, TableName::SetAside],
        ),
        section("findings", "What was noticed on the way?", &[TableName::Findings]),
    ];
    sections.retain(|section| !section.tables.is_empty() || !section.figures.is_empty());
    Ok(sections)
}

fn figure_view(figure: &Figure) -> miette::Result<FigureView> {
    Ok(FigureView {
        name: figure.name,
        title: figure.title.clone(),
        caption: figure.caption.clone(),
        svg: figure.svg()?,
    })
}

pub(super) fn table_view(table: &Table) -> TableView {
    let starts_group = |index: usize| {
        let group = |index: usize| table.columns.get(index).and_then(|column| column.group.as_ref());
        index > 0 && group(index).is_some() && group(index) != group(index - 1)
    };
    let class = |index: usize, tone: Tone| {
        let align = table.columns.get(index).map_or(Align::Left, |column| column.align);
        let parts = [
            if align == Align::Right { "num" } else { "" },
            tone_class(tone),
            if starts_group(index) { "edge" } else { "" },
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let heads = table.columns.iter().enumerate();
    let rows = table.rows.iter().map(|row| RowView {
        is_summary: row.is_summary,
        cells: row.cells.iter().enumerate().map(|(index, cell)| cell_view(cell, class(index, cell.tone))).collect(),
    });
    TableView {
        name: table.name.name(),
        title: table.title.clone(),
        groups: groups(table),
        heads: heads.map(|(i, c)| HeadView { label: c.label.clone(), class: class(i, Tone::Plain) }).collect(),
        rows: rows.collect(),
        notes: table.notes.clone(),
    }
}

/// The heads over several columns; none if no column has one.
fn groups(table: &Table) -> Vec<GroupView> {
    if table.columns.iter().all(|column| column.group.is_none()) {
        return Vec::new();
    }
    table
        .columns
        .chunk_by(|a, b| a.group == b.group)
        .map(|group| GroupView { label: group[0].group.clone().unwrap_or_default(), span: group.len() })
        .collect()
}

fn cell_view(cell: &Cell, mut class: String) -> CellView {
    if cell.text.chars().count() > LONG_TEXT {
        class += " long";
    }
    CellView { text: cell.text.clone(), class, hint: cell.hint.as_deref().map(shown) }
}

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Muted => "muted",
    }
}

fn jdk_versions(machine: &crate::store::record::Environment) -> Option<String> {
    let versions: Vec<&str> = machine.jdks.iter().map(|jdk| jdk.version.as_str()).collect();
    (!versions.is_empty()).then(|| versions.join(", "))
}

fn facts(analysis: &Analysis) -> Vec<Fact> {
    let (machine, run) = (&analysis.machine, &analysis.run);
    let cores = run.manifest.cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let physical = machine.physical_cores.map_or(String::new(), |n| format!(", {n} physical"));
    let turbo = machine.turbo.map(|on| if on { "on" } else { "off" }.to_owned());
    let known = [
        ("host", Some(run.manifest.host.clone())),
        ("processor", Some(format!("{} ({} logical{physical})", machine.cpu_model, machine.logical_cores))),
        ("memory", Some(format!("{}, swap {}", bytes(machine.memory_bytes), bytes(machine.swap_bytes)))),
        ("system", Some(format!("{}, kernel {}, {}", machine.os, machine.kernel, machine.architecture))),
        ("virtualization", machine.virtualization.clone()),
        ("frequency governor", machine.governor.clone()),
        ("turbo", turbo),
        ("JDK", jdk_versions(machine)),
        ("Maven", machine.maven.clone()),
        ("pinned to cores", Some(cores)),
        (
            "repetitions",
            Some(format!(
                "{}, after {}",
                run.manifest.repetitions,
                plural(run.manifest.warmup as usize, "warm-up run")
            )),
        ),
        ("screening", Some(plural(run.manifest.screening as usize, "sequential run"))),
        ("seed", Some(run.manifest.seed.to_string())),
        ("baseline", Some(run.manifest.baseline.clone())),
    ];
    let fact = |(term, value): (&str, Option<String>)| Some(Fact { term: term.to_owned(), value: shown(&value?) });
    known.into_iter().filter_map(fact).collect()
}

/// What runs it, where that is not Surefire alone.
fn engines(summary: &ConfigurationSummary) -> Option<String> {
    let Harness { engine, rerun_engine, .. } = summary.harness;
    let reruns = (summary.technique.reruns() && rerun_engine != engine).then(|| format!("reruns on {rerun_engine}"));
    let main = (engine != EngineKind::default()).then(|| format!("on {engine}"));
    let parts: Vec<String> = [main, reruns].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn configuration(summary: &ConfigurationSummary) -> Fact {
    let technique = match summary.technique {
        TechniqueKind::Sequential => "one test after the other",
        TechniqueKind::Parallel => "one parallel run",
        TechniqueKind::Paste => "PASTE: parallel, then failed tests, then their classes",
        TechniqueKind::SoundRerun => "parallel, then failed tests after all they depend on",
    };
    let parallelism = &summary.parallelism;
    let width = match (summary.technique, parallelism.mode) {
        (TechniqueKind::Sequential, _) | (_, Mode::Sequential | Mode::Project) => String::new(),
        (_, mode) => {
            let per_core = if parallelism.threads_per_core { " per core" } else { "" };
            format!(
                "; {mode}, {}{per_core}, forks {}",
                plural(parallelism.threads as usize, "thread"),
                parallelism.forks
            )
        }
    };
    let modules = parallelism.modules.map(|modules| format!("; modules at once {modules}")).unwrap_or_default();
    let harness = engines(summary).map(|engines| format!("; {engines}")).unwrap_or_default();
    Fact { term: shown(&summary.name), value: format!("{technique}{width}{modules}{harness}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    /// What stands between two marks, figures left out: they have tests of their own.
    fn section(page: &str, id: &str) -> String {
        let start = page.find(&format!("<section id=\"{id}\"")).unwrap();
        let end = start + page[start..].find("</section>").unwrap();
        page[start..end].lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_failures_read_well() {
        let page = render(sample::studied()).unwrap();
        insta::assert_snapshot!(section(&page, "failures"));
    }

    #[test]
    fn the_answer_comes_first() {
        let analysis = sample::studied();
        let page = render(analysis).unwrap();
        let answer = page.find(&analysis.headline.speed).unwrap();
        assert!(answer < page.find("<table").unwrap() && answer < page.find("<figure").unwrap());
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        let page = render(sample::studied()).unwrap();
        for outside in ["src=", "@import", "url(", "<script", "<link", "<iframe"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for address in page.split("http").skip(1) {
            assert!(address.starts_with("://www.w3.org/2000/svg"), "{}", &address[..40.min(address.len())]);
        }
    }

    #[test]
    fn names_with_markup_are_shown_as_text() {
        let page = render(sample::attacked()).unwrap();
        assert!(!page.contains("<img") && !page.contains("<script") && !page.contains("onerror=\""));
        assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
        assert!(page.contains("&lt;img"));
        let longest = page.split(['<', '>']).map(str::len).max().unwrap();
        assert!(longest < 10_000 + STYLES.len(), "an enormous name came through whole");
    }

    #[test]
    fn a_quick_run_says_so() {
        let mut run = sample::study();
        assert!(!render(&Analysis::of(&run)).unwrap().contains(NOT_FOR_PUBLICATION));
        run.manifest.quick = true;
        assert!(render(&Analysis::of(&run)).unwrap().contains(NOT_FOR_PUBLICATION));
    }

    #[test]
    fn a_run_without_trials_still_has_a_page() {
        render(&Analysis::of(&sample::empty())).unwrap();
    }
}
