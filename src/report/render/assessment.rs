//! An assessment for a terminal, as Markdown for a pull request, as one page of HTML, and as files beside its run.

use std::path::{Path, PathBuf};

use miette::IntoDiagnostic;
use serde::Serialize;

use super::html::page::{Carried, Template};
use super::{html, markdown as md, terminal as term};
use crate::assess::answer::Answer;
use crate::assess::decide::Verdict;
use crate::assess::evidence::Speedup;
use crate::report::tables::Table;
use crate::report::text::{duration, sentence, shown};
use crate::store::write_atomically;
use crate::wording::plural;

const TEMPLATE: Template = Template { name: "assess.html", source: include_str!("../templates/assess.html") };
/// Of a sentence that may hold names.
const LONGEST: usize = 600;

/// A name and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Fact {
    name: &'static str,
    text: String,
}

pub fn terminal(answer: &Answer, style: term::Style) -> String {
    let mut out = term::emphasised(&headline(answer), style);
    for fact in facts(answer) {
        out.push_str(&format!("  {:<14} {}\n", fact.name, fact.text));
    }
    for table in Table::of_assessment(answer) {
        out.push('\n');
        out += &term::render_table(&table, style);
    }
    if let Some(command) = &answer.command {
        out.push_str(&format!("\nIn the CI: {}\n", shown(command)));
    }
    for snippet in &answer.snippets {
        out.push_str(&format!("\n{}: {}\n", snippet.file, snippet.place));
        snippet.text.lines().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
    out += &term::cautions(&cautions(answer), style);
    out
}

/// Verdict and reason in a line.
fn headline(answer: &Answer) -> String {
    format!("{} ({}): {}", answer.verdict.name(), answer.meaning(), sentence(&answer.reason, LONGEST))
}

fn cautions(answer: &Answer) -> Vec<String> {
    answer.notes.iter().map(|note| sentence(note, LONGEST)).collect()
}

/// What a team lead wants to know before any table.
fn facts(answer: &Answer) -> Vec<Fact> {
    let mut facts = vec![project(answer)];
    let mut add = |name, text: Option<String>| facts.extend(text.map(|text| Fact { name, text }));
    add("time", times(answer));
    add("speedup", answer.speedup.map(speedup));
    add("in a month", month(answer));
    add(
        "extra CPU",
        answer.costs.map(|costs| {
            // Without the sign of a zero.
            let rounded = |value: f64, parts: f64| (value * parts).round() / parts + 0.0;
            format!(
                "{:+.1} s a build ({:+.0} %), {:+.1} hours a month",
                rounded(costs.extra_cpu_seconds_per_build, 10.0),
                rounded(costs.extra_cpu_percent, 1.0),
                rounded(costs.extra_cpu_hours_per_month, 10.0)
            )
        }),
    );
    add("risk", risk(answer));
    add(
        "measured",
        Some(format!(
            "{} in {} of a budget of {}",
            plural(answer.blocks, "block"),
            duration(answer.spent_seconds),
            duration(answer.budget_seconds)
        )),
    );
    facts
}

/// A single pair has no interval, and its p-value is 1 whatever it showed.
fn speedup(speedup: Speedup) -> String {
    let value = speedup.value;
    let Some((low, high)) = speedup.ci_low.zip(speedup.ci_high) else {
        return format!("{value:.2}, from {}: too little for an interval", plural(speedup.pairs, "pair"));
    };
    let p = speedup.p.map(|p| format!(", p = {}", crate::report::text::p_value(p))).unwrap_or_default();
    format!("{value:.2}, 95 % interval {low:.2} to {high:.2}{p} over {}", plural(speedup.pairs, "pair"))
}

fn project(answer: &Answer) -> Fact {
    let survey = &answer.survey;
    let jdk =
        survey.jdk.as_deref().map(|jdk| format!(", JDK {}", jdk.split(' ').next().unwrap_or(jdk))).unwrap_or_default();
    let modules = if survey.modules.len() > 1 {
        format!(" in {}", plural(survey.modules.len(), "module"))
    } else {
        String::new()
    };
    let text = format!(
        "{}: {}{modules}, {}, {}{jdk}",
        shown(&answer.project),
        plural(survey.tests, "test"),
        survey.frameworks.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", "),
        shown(&survey.build_tool)
    );
    Fact { name: "project", text }
}

/// Fine enough that the speedup beside it can be checked by head.
fn precise(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.1}s") } else { duration(seconds) }
}

fn times(answer: &Answer) -> Option<String> {
    let base = precise(answer.baseline_seconds?);
    Some(match answer.seconds {
        Some(seconds) => {
            let failing = if answer.verdict == Verdict::FixFirst { ", tests failing" } else { "" };
            format!(
                "{base} one test after the other, {} this way{failing}, on {}",
                precise(seconds),
                plural(answer.cores, "core")
            )
        }
        None => format!("{base} one test after the other, on {}", plural(answer.cores, "core")),
    })
}

fn month(answer: &Answer) -> Option<String> {
    let costs = answer.costs.filter(|_| matches!(answer.verdict, Verdict::Adopt | Verdict::AdoptWithPaste))?;
    Some(format!(
        "{:.1} hours less of waiting, {:.2} less to pay, for {} builds a day at {} a core hour",
        costs.hours_saved_per_month,
        costs.money_saved_per_month,
        costs.rates.builds_per_day,
        costs.rates.price_per_core_hour
    ))
}

fn risk(answer: &Answer) -> Option<String> {
    let risk = &answer.risk;
    let bound = risk.failure_rate_at_most?;
    let flaky = match risk.flaky_tests {
        0 => String::new(),
        1 => "; 1 test fails now and then already without parallelism".to_owned(),
        count => format!("; {} already fail now and then without parallelism", plural(count, "test")),
    };
    let repaired = if answer.verdict == Verdict::AdoptWithPaste { ", repairs included" } else { "" };
    Some(format!(
        "{} of {} failed for it{repaired}; as far as so few tell, up to {:.0} % of builds could{flaky}",
        risk.failing_runs,
        plural(risk.runs, "parallel run"),
        bound * 100.0
    ))
}

/// For a pull request: the answer, what to do, then the tables folded away.
pub fn markdown(answer: &Answer) -> String {
    let escape = md::escape;
    let mut out = format!(
        "## Tests in parallel: `{}`, {}\n\n{}\n\n",
        answer.verdict.name(),
        answer.meaning(),
        escape(&sentence(&answer.reason, LONGEST))
    );
    for fact in facts(answer) {
        out += &format!("- **{}**: {}\n", fact.name, escape(&fact.text));
    }
    if let Some(command) = &answer.command {
        out += &format!("\nIn the CI:\n\n```sh\n{}\n```\n", shown(command));
    }
    for snippet in &answer.snippets {
        let language = if snippet.file.ends_with(".xml") { "xml" } else { "properties" };
        out += &format!("\n`{}`, {}:\n\n```{language}\n{}```\n", snippet.file, escape(&snippet.place), snippet.text);
    }
    for note in cautions(answer) {
        out += &format!("\n> {}\n", escape(&note));
    }
    for table in Table::of_assessment(answer) {
        out += &format!(
            "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
            escape(&table.title),
            md::render_table(&table)
        );
    }
    out
}

#[derive(Serialize)]
struct Page {
    carried: Carried,
    project: String,
    verdict: &'static str,
    meaning: String,
    reason: String,
    facts: Vec<Fact>,
    snippets: Vec<SnippetView>,
    command: Option<String>,
    cautions: Vec<String>,
    /// As markup.
    tables: Vec<String>,
}

#[derive(Serialize)]
struct SnippetView {
    file: String,
    place: String,
    text: String,
}

/// A page that needs nothing else.
pub fn html(answer: &Answer) -> miette::Result<String> {
    let snippet = |snippet: &crate::assess::advice::Snippet| SnippetView {
        file: snippet.file.clone(),
        place: snippet.place.clone(),
        text: snippet.text.clone(),
    };
    let tables = Table::of_assessment(answer);
    let rendered = tables.iter().enumerate().map(|(index, table)| html::table::render_alone(table, index + 1));
    let tables = rendered.collect::<miette::Result<Vec<String>>>()?;
    let page = Page {
        carried: Carried::with(html::data::embedded(&serde_json::json!({}))?),
        project: shown(&answer.project),
        verdict: answer.verdict.name(),
        meaning: answer.meaning(),
        reason: sentence(&answer.reason, LONGEST),
        facts: facts(answer),
        snippets: answer.snippets.iter().map(snippet).collect(),
        command: answer.command.as_deref().map(shown),
        cautions: cautions(answer),
        tables,
    };
    html::page::render(&TEMPLATE, &page)
}

/// Every form beside the records; the page's path comes back.
pub fn write_all(answer: &Answer, run_dir: &Path) -> miette::Result<PathBuf> {
    let answer_file = run_dir.join(crate::assess::ANSWER);
    let page = answer_file.with_file_name("index.html");
    write_atomically(&page, html(answer)?.as_bytes())?;
    write_atomically(&answer_file.with_file_name("comment.md"), markdown(answer).as_bytes())?;
    let json = serde_json::to_string_pretty(answer).into_diagnostic()? + "\n";
    write_atomically(&answer_file, json.as_bytes())?;
    Ok(page)
}
