//! An assessment for a terminal, as Markdown for a pull request, as one page of HTML, and as files beside its run.

use std::path::{Path, PathBuf};

use miette::IntoDiagnostic;
use serde::Serialize;

use super::html::page::{Carried, Template};
use super::{html, markdown as md, terminal as term};
use crate::assess::answer::Answer;
use crate::assess::decide::Verdict;
use crate::assess::evidence::Speedup;
use crate::report::tables::DisplayTable;
use crate::shown_text::{duration, sentence, shown};
use crate::store::write_atomically;
use crate::wording::{VIRTUAL_TIME, plural};

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
    let mut out = answer.stored.as_deref().map(|text| term::caution(text, style)).unwrap_or_default();
    out += &virtual_time(answer).map(|text| term::caution(text, style)).unwrap_or_default();
    out += &term::emphasised(&headline(answer), style);
    for fact in facts(answer) {
        out += &term::labelled(fact.name, 14, &fact.text, style);
    }
    // What to distrust comes before the numbers.
    out += &term::cautions(&cautions(answer), style);
    for table in DisplayTable::of_assessment(answer) {
        out.push('\n');
        out += &if table.is_of_long_texts() {
            term::render_entries(&table, style)
        } else {
            term::render_table(&table, style)
        };
    }
    if let Some(command) = &answer.command {
        out.push_str(&format!("\nIn CI: {}\n", shown(command)));
    }
    for snippet in &answer.snippets {
        out.push_str(&format!("\n{}: {}\n", snippet.file, snippet.place));
        snippet.text.lines().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
    out
}

/// Verdict and reason in a line.
fn headline(answer: &Answer) -> String {
    format!("{} ({}): {}", answer.verdict.name(), answer.meaning(), sentence(&answer.reason, LONGEST))
}

/// What stands before everything else where no time was measured.
fn virtual_time(answer: &Answer) -> Option<&'static str> {
    answer.virtual_time.then_some(VIRTUAL_TIME)
}

/// Without what was said first.
fn cautions(answer: &Answer) -> Vec<String> {
    let said = virtual_time(answer);
    answer.notes.iter().filter(|note| Some(note.as_str()) != said).map(|note| sentence(note, LONGEST)).collect()
}

/// What a team lead wants to know before any table.
fn facts(answer: &Answer) -> Vec<Fact> {
    let mut facts = vec![project(answer), tests(answer)];
    let mut add = |name, text: Option<String>| facts.extend(text.map(|text| Fact { name, text }));
    add("preliminary", answer.why_preliminary());
    add("not tried", answer.untried_otherwise().map(|text| sentence(&text, LONGEST)));
    add("mode", answer.mode.as_deref().map(|mode| answer.explained(mode)));
    add("time", times(answer));
    add("speedup", answer.speedup.map(speedup));
    add("limit", answer.limit().map(|text| sentence(&text, LONGEST)));
    add("in a month", month(answer));
    add(
        "extra CPU",
        answer.costs.as_ref().map(|costs| {
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
    let blocks = plural(answer.blocks, "block");
    let (spent, budget) = (duration(answer.spent_seconds), duration(answer.budget_seconds));
    if answer.virtual_time {
        add("computed", Some(format!("{blocks} in {spent} of virtual time, of a budget of {budget}")));
    } else {
        add("measured", Some(format!("{blocks} in {spent} of a budget of {budget}")));
    }
    facts
}

/// A single pair has no interval, and its p-value is 1 whatever it showed.
fn speedup(speedup: Speedup) -> String {
    let told = speedup.told();
    let Some(method) = speedup.ci_method else { return told };
    let p = speedup.p.map(|p| format!(", p = {}", crate::shown_text::p_value(p))).unwrap_or_default();
    format!("{told}{p}; {method}")
}

fn project(answer: &Answer) -> Fact {
    let survey = &answer.survey;
    let named = shown(&answer.project);
    let told = shown(&answer.identity.told());
    let jdk = survey.jdk.as_deref().map(|jdk| format!(", JDK {}", sentence(jdk, LONGEST))).unwrap_or_default();
    if answer.virtual_time {
        return Fact { name: "model suite", text: format!("{told} ({named})") };
    }
    Fact { name: "project", text: format!("{told} ({named}), {}{jdk}", shown(&survey.build_tool)) }
}

fn tests(answer: &Answer) -> Fact {
    let survey = &answer.survey;
    let modules = if survey.modules.len() > 1 {
        format!(" in {}", plural(survey.modules.len(), "module"))
    } else {
        String::new()
    };
    let frameworks: Vec<String> = survey.frameworks.iter().map(|name| shown(name)).collect();
    let skipped = if survey.skipped > 0 { format!(", {} skipped", survey.skipped) } else { String::new() };
    let failed =
        if survey.failed > 0 { format!(", {} not passed in the first run", survey.failed) } else { String::new() };
    let by = if answer.virtual_time { String::new() } else { format!(", {}", frameworks.join(", ")) };
    let text = format!("{}{modules}{skipped}{failed}{by}", plural(survey.tests, "test"));
    Fact { name: "tests", text }
}

/// Fine enough that the speedup beside it can be checked by head.
fn precise(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.1}s") } else { duration(seconds) }
}

fn times(answer: &Answer) -> Option<String> {
    let base = precise(answer.baseline_seconds?);
    Some(match answer.seconds {
        Some(seconds) => {
            let failing = match answer.verdict {
                Verdict::FixFirst => ", tests failing",
                Verdict::AdoptWithPaste => " with reruns",
                _ => "",
            };
            format!(
                "{base} sequential, {} in this mode{failing}, on {}",
                precise(seconds),
                plural(answer.cores, "core")
            )
        }
        None => format!("{base} sequential, on {}", plural(answer.cores, "core")),
    })
}

fn month(answer: &Answer) -> Option<String> {
    let is_advised = matches!(answer.verdict, Verdict::Adopt | Verdict::AdoptWithPaste);
    let costs = answer.costs.as_ref().filter(|_| is_advised)?;
    let rates = &costs.rates;
    let mut text = format!("{:.1} hours less of waiting", costs.hours_saved_per_month);
    if let (Some(saved), Some(price)) = (costs.money_saved_per_month, rates.price_per_core_hour) {
        let unit = rates.currency.as_deref().map(|currency| format!(" {}", shown(currency))).unwrap_or_default();
        text += &format!(", {saved:.2}{unit} less to pay at {price}{unit} per core hour");
    }
    Some(format!("{text}, for {} builds a day", rates.builds_per_day))
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
        "{} of {} had a failure that sequential runs do not have{repaired}; with so few runs, up to {:.0} % of builds could have one{flaky}",
        risk.failing_runs,
        plural(risk.runs, "parallel run"),
        bound * 100.0
    ))
}

/// For a pull request: the answer, what to do, then the tables folded away.
pub fn markdown(answer: &Answer) -> String {
    let escape = md::escape;
    let mut out = answer.stored.as_deref().map(|text| format!("> {}\n\n", escape(text))).unwrap_or_default();
    out += &format!("## Tests in parallel: `{}`, {}\n\n", answer.verdict.name(), answer.meaning());
    if let Some(text) = virtual_time(answer) {
        out += &format!("> {}\n\n", escape(text));
    }
    out += &format!("{}\n\n", escape(&sentence(&answer.reason, LONGEST)));
    for note in cautions(answer) {
        out += &format!("> {}\n\n", escape(&note));
    }
    for fact in facts(answer) {
        out += &format!("- **{}**: {}\n", fact.name, escape(&fact.text));
    }
    if let Some(command) = &answer.command {
        out += &format!("\nIn CI:\n\n```sh\n{}\n```\n", shown(command));
    }
    for snippet in &answer.snippets {
        let language = if snippet.file.ends_with(".xml") { "xml" } else { "properties" };
        out += &format!("\n`{}`, {}:\n\n```{language}\n{}```\n", snippet.file, escape(&snippet.place), snippet.text);
    }
    for table in DisplayTable::of_assessment(answer) {
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
    /// Of an answer that was there.
    stored: Option<String>,
    /// What to know before anything else.
    virtual_time: Option<&'static str>,
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
    let snippet = |snippet: &crate::project::Snippet| SnippetView {
        file: snippet.file.clone(),
        place: snippet.place.clone(),
        text: snippet.text.clone(),
    };
    let tables = DisplayTable::of_assessment(answer);
    let rendered = tables.iter().enumerate().map(|(index, table)| html::table::render_alone(table, index + 1));
    let tables = rendered.collect::<miette::Result<Vec<String>>>()?;
    let page = Page {
        carried: Carried::with(html::data::embedded(&serde_json::json!({}))?),
        project: shown(&answer.identity.told()),
        stored: answer.stored.clone(),
        virtual_time: virtual_time(answer),
        verdict: answer.verdict.name(),
        meaning: answer.meaning().to_owned(),
        reason: sentence(&answer.reason, LONGEST),
        facts: facts(answer),
        snippets: answer.snippets.iter().map(snippet).collect(),
        command: answer.command.as_deref().map(shown),
        cautions: cautions(answer),
        tables,
    };
    html::page::render(&TEMPLATE, &page)
}

/// Every form beside the records; the page's path comes back. Files are read later: when they were asked for is no part of them.
pub fn write_all(answer: &Answer, run_dir: &Path) -> miette::Result<PathBuf> {
    let answer = &Answer { stored: None, ..answer.clone() };
    let answer_file = run_dir.join(crate::assess::ANSWER);
    let page = answer_file.with_file_name("index.html");
    write_atomically(&page, html(answer)?.as_bytes())?;
    write_atomically(&answer_file.with_file_name("comment.md"), markdown(answer).as_bytes())?;
    let json = serde_json::to_string_pretty(answer).into_diagnostic()? + "\n";
    write_atomically(&answer_file, json.as_bytes())?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::evidence::Evidence;
    use crate::assess::evidence::tests::{evidence, speedup_of};
    use crate::assess::parallel_mode::ParallelMode;
    use crate::report::render::terminal::Style;
    use proptest::prelude::*;
    use serde_json::Value;

    prop_compose! {
        fn mode(way: ParallelMode)(
            pairs in prop::collection::vec((1.0..100.0f64, 1.0..100.0f64), 1..9),
            overlapped in any::<bool>(),
            failing in 0..3usize,
        ) -> Evidence {
            let failing_runs = failing.min(pairs.len());
            let runs = pairs.len();
            let plain = speedup_of(&pairs);
            let repaired = plain.filter(|_| failing_runs < 2);
            let unrepaired_runs = if repaired.is_some() { 0 } else { failing_runs };
            let told = plain.unwrap();
            Evidence { runs, overlapped, failing_runs, unrepaired_runs, repaired, ..evidence(way, told) }
        }
    }

    /// The row of a mode, as the cells of the table are.
    fn row(answer: &Answer, mode: &str) -> Vec<String> {
        let tables = DisplayTable::of_assessment(answer);
        let ways = &tables[0];
        let found = ways.rows.iter().find(|row| row.cells[0].text == mode).unwrap();
        found.cells.iter().map(|cell| cell.text.clone()).collect()
    }

    /// What the JSON says of a mode, written as the table writes it.
    fn expected_row(way: &Value) -> Vec<String> {
        let number = |value: &Value| value.as_f64().unwrap();
        let plain = &way["plain"];
        let overlapped = way["overlapped"].as_bool().unwrap();
        let interval = match (plain["ci_low"].as_f64(), plain["ci_high"].as_f64()) {
            _ if !overlapped => "–".to_owned(),
            (Some(low), Some(high)) => format!("{low:.2}–{high:.2}"),
            _ => "–".to_owned(),
        };
        vec![
            way["way"].as_str().unwrap().to_owned(),
            way["runs"].to_string(),
            format!("{:.1}", number(&plain["baseline_seconds"])),
            format!("{:.1}", number(&plain["seconds"])),
            interval,
            plain["pairs"].to_string(),
            way["failing_runs"].to_string(),
        ]
    }

    fn is_shown(speedup: &Value) -> bool {
        speedup["pairs"].as_u64().unwrap() >= 5 && speedup["ci_low"].as_f64().is_some_and(|low| low > 1.0)
    }

    #[test]
    fn a_mode_without_effect_has_no_speedup() {
        let fast =
            Evidence { overlapped: false, ..evidence(ParallelMode::Classes, speedup_of(&[(20.0, 10.0); 5]).unwrap()) };
        let today = Evidence { way: ParallelMode::Project, ..fast.clone() };
        let brief = Evidence {
            concurrency: 1.006,
            most_at_once: 2,
            ..evidence(ParallelMode::Forks, speedup_of(&[(20.0, 19.0); 5]).unwrap())
        };
        let answer = Answer::example(vec![today, brief, fast], Vec::new());
        let (classes, project, forks) = (row(&answer, "classes"), row(&answer, "project"), row(&answer, "forks"));
        assert_eq!((classes[4].as_str(), classes[10].as_str()), ("no effect", "never"));
        assert_eq!((project[4].as_str(), project[10].as_str()), ("as sequential", "never"));
        assert_eq!((forks[4].as_str(), forks[10].as_str()), ("1.05", "up to 2"));
        assert!(answer.reason.starts_with("the best of the modes that had an effect, forks"), "{}", answer.reason);
        assert!(answer.reason.contains("classes (no effect)"), "{}", answer.reason);
        let style = Style { width: 200, colour: false };
        for form in [terminal(&answer, style), html(&answer).unwrap(), markdown(&answer)] {
            let words = form.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains("classes had no effect (no two tests ran at the same time)"), "{words}");
        }
    }

    #[test]
    fn that_an_answer_was_there_comes_first() {
        let classes = evidence(ParallelMode::Classes, speedup_of(&[(20.0, 10.0); 6]).unwrap());
        let stored = Some("Already answered. `--fresh` measures anew.".to_owned());
        let answer = Answer { stored, ..Answer::example(vec![classes], Vec::new()) };
        let text = terminal(&answer, Style { width: 200, colour: false });
        assert!(text.lines().next().unwrap().contains("--fresh"), "{text}");
        assert!(markdown(&answer).lines().next().unwrap().contains("--fresh"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sentence_tables_and_json_have_the_same_numbers(
            classes in mode(ParallelMode::Classes), forks in mode(ParallelMode::Forks), has_forks in any::<bool>(),
        ) {
            let ways = if has_forks { vec![forks, classes] } else { vec![classes] };
            let answer = Answer::example(ways, Vec::new());
            let json = serde_json::to_value(&answer).unwrap();
            for way in json["ways"].as_array().unwrap() {
                let cells = row(&answer, way["way"].as_str().unwrap());
                let compared = [0, 1, 2, 3, 5, 6, cells.len() - 1].map(|place| cells[place].clone());
                prop_assert_eq!(compared.to_vec(), expected_row(way));
            }
            let text = terminal(&answer, Style { width: 200, colour: false }).split_whitespace().collect::<Vec<_>>().join(" ");
            let (page, comment) = (html(&answer).unwrap(), markdown(&answer));
            if let Some(speedup) = answer.speedup {
                let value = format!("{}×", speedup.value_text());
                prop_assert!((json["speedup"]["value"].as_f64().unwrap() - speedup.value).abs() < 1e-9);
                for form in [&text, &page, &comment] {
                    prop_assert!(form.contains(&value), "{value} in {form}");
                }
                let says_faster = answer.reason.contains("faster than sequential");
                prop_assert_eq!(says_faster, is_shown(&json["speedup"]), "{}", answer.reason);
            }
            prop_assert_eq!(json["preliminary"].as_bool().unwrap(), !json["shortfalls"].as_array().unwrap().is_empty());
            prop_assert!(answer.preliminary || answer.not_tried.is_empty(), "what was not tried is not judged");
        }
    }
}
