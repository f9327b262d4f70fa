//! `parade audit`: does what a study states follow from the rows that it prints?

use std::path::PathBuf;
use std::process::ExitCode;

use parade::experiment::did_you_mean;
use parade::report::render::terminal::{Style, render_table, wrapped};
use parade::report::{Cell, Column, Row, Table, TableName, Tone};
use parade::study::explain::{Explained, short, trimmed};
use parade::study::{Answer, Audited, Computation, Faults, Library, Study, Tally, Verdict};
use parade::wording::counted;
use serde_json::json;

use super::BadUsage;
use super::output::{pretty, print};
use super::report::terminal_style;

/// With `--strict`, where a claim differs.
const DIFFERS: u8 = 3;
/// Exit code for bad files, where they are told as JSON.
const MISTAKEN: u8 = 2;

#[derive(Debug)]
pub struct AuditOptions {
    /// All of them if empty.
    pub studies: Vec<String>,
    /// Where they are, if not those of the program.
    pub folder: Option<PathBuf>,
    pub only: Vec<Verdict>,
    pub claim: Option<String>,
    pub strict: bool,
    pub json: bool,
}

/// A study with its claims, those that were asked for.
struct Chosen<'l> {
    study: &'l Study,
    all: Vec<Audited>,
    shown: Vec<Audited>,
}

pub fn run(options: &AuditOptions) -> miette::Result<ExitCode> {
    let library = match &options.folder {
        Some(folder) => Library::in_folder(folder)?,
        None => Library::embedded(),
    };
    let studies = match chosen_studies(&library, &options.studies)? {
        Ok(studies) => studies,
        Err(faults) => return refuse(faults, options.json),
    };
    let chosen: Vec<Chosen<'_>> = studies.into_iter().map(|study| chosen_claims(&library, study, options)).collect();
    if let Some(id) = &options.claim {
        known_claim(&chosen, id)?;
    }
    let style = terminal_style();
    let text = match (options.json, &options.claim) {
        (true, _) => pretty(&chosen.iter().flat_map(|chosen| &chosen.shown).collect::<Vec<_>>())?,
        (false, Some(_)) => chosen.iter().map(|chosen| explanations(&library, chosen, style)).collect(),
        (false, None) => page(&chosen, style),
    };
    print(&text)?;
    let differs = chosen.iter().flat_map(|chosen| &chosen.shown).any(|claim| claim.verdict == Verdict::Differs);
    Ok(if options.strict && differs { ExitCode::from(DIFFERS) } else { ExitCode::SUCCESS })
}

/// The studies by name; what is wrong with the files of one matters only if it was asked for.
fn chosen_studies<'l>(library: &'l Library, names: &[String]) -> miette::Result<Result<Vec<&'l Study>, Faults>> {
    let names: Vec<&str> = if names.is_empty() { library.names().collect() } else { names.iter().map(String::as_str).collect() };
    let mut studies = Vec::new();
    let mut faults = Faults::default();
    for name in names {
        match library.study(name) {
            Some(Ok(study)) => studies.push(study),
            Some(Err(wrong)) => faults.files.extend(wrong.files.clone()),
            None => {
                let message = format!("there is no study `{}`", name.escape_debug());
                let known: Vec<&str> = library.names().collect();
                return Err(BadUsage { message, help: did_you_mean(name, "studies", &known) }.into());
            }
        }
    }
    Ok(if faults.files.is_empty() { Ok(studies) } else { Err(faults) })
}

/// Mistakes as a document for a script; for a person they are an error.
fn refuse(faults: Faults, json: bool) -> miette::Result<ExitCode> {
    if !json {
        return Err(faults.into());
    }
    let files = faults.files.iter().map(|file| json!({ "file": file.file(), "count": file.count(), "mistakes": file.entries() }));
    print(&pretty(&files.collect::<Vec<_>>())?)?;
    Ok(ExitCode::from(MISTAKEN))
}

fn chosen_claims<'l>(library: &Library, study: &'l Study, options: &AuditOptions) -> Chosen<'l> {
    let all = library.audit(study);
    let by_verdict = |claim: &&Audited| options.only.is_empty() || options.only.contains(&claim.verdict);
    let by_id = |claim: &&Audited| options.claim.as_ref().is_none_or(|id| is_called(claim, id));
    let shown = all.iter().filter(by_verdict).filter(by_id).cloned().collect();
    Chosen { study, all, shown }
}

fn is_called(claim: &Audited, id: &str) -> bool {
    claim.id == id || id.split_once('/').is_some_and(|(study, id)| claim.study == study && claim.id == id)
}

fn known_claim(chosen: &[Chosen<'_>], id: &str) -> Result<(), BadUsage> {
    let claims = || chosen.iter().flat_map(|chosen| &chosen.all);
    if claims().any(|claim| is_called(claim, id)) {
        return Ok(());
    }
    let known: Vec<&str> = claims().map(|claim| claim.id.as_str()).collect();
    let message = format!("there is no claim `{}`", id.escape_debug());
    Err(BadUsage { message, help: did_you_mean(id, "claims", &known) })
}

fn page(chosen: &[Chosen<'_>], style: Style) -> String {
    let mut page: String = chosen.iter().map(|chosen| study_page(chosen, style)).collect();
    for chosen in chosen {
        page += &paragraph(&format!("{}: {}", chosen.study.name, tally_sentence(Tally::of(&chosen.all))), style);
    }
    if chosen.len() > 1 {
        let all = Tally::of(chosen.iter().flat_map(|chosen| &chosen.all));
        page += &paragraph(&format!("All {} studies: {}", chosen.len(), tally_sentence(all)), style);
    }
    page
}

fn study_page(chosen: &Chosen<'_>, style: Style) -> String {
    if chosen.shown.is_empty() {
        return String::new();
    }
    let table = Table {
        // Shown whole, as tables of subjects are.
        name: TableName::Subjects,
        title: study_title(chosen.study),
        columns: vec![
            Column::left("id"),
            Column::left("where"),
            Column::left("claim"),
            Column::right("stated"),
            Column::right("recomputed"),
            Column::left("verdict"),
        ],
        rows: chosen.shown.iter().map(claim_row).collect(),
        notes: chosen.study.remarks.clone(),
    };
    let mut page = render_table(&table, style);
    for (title, verdict) in [("What differs", Verdict::Differs), ("What cannot be recomputed", Verdict::NotComputable)] {
        let mut remarks = chosen.shown.iter().filter(|claim| claim.verdict == verdict).peekable();
        if remarks.peek().is_some() {
            page += &format!("\n{title}\n");
        }
        for claim in remarks {
            page += &item(&format!("{}: {}", claim.id, remark(claim)), style);
        }
    }
    page.push('\n');
    page
}

fn study_title(study: &Study) -> String {
    let year = study.year.map_or_else(String::new, |year| format!(" ({year})"));
    format!("{}: {}{year}", study.name, study.title)
}

fn claim_row(claim: &Audited) -> Row {
    let recomputed = claim.recomputed.as_ref().map_or_else(|| "–".to_owned(), |answer| answer_text(answer, claim));
    let (verdict, tone) = verdict_words(claim);
    Row::body(vec![
        Cell::new(claim.id.as_str()).toned(Tone::Muted),
        Cell::new(claim.place.as_str()),
        Cell::new(claim.claim.as_str()),
        Cell::new(narrow(&with_unit(&claim.stated_text, claim))),
        Cell::new(narrow(&recomputed)),
        Cell::new(verdict).toned(tone),
    ])
}

/// Lists of names would take the room of everything else; the remarks and `--claim` have them whole.
fn narrow(text: &str) -> String {
    const WIDEST: usize = 18;
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(WIDEST - 1).collect();
    format!("{}…", head.trim_end())
}

fn verdict_words(claim: &Audited) -> (&'static str, Tone) {
    match (claim.verdict, claim.rounding_explains) {
        (Verdict::Holds, _) => ("holds", Tone::Good),
        (Verdict::Differs, Some(true)) => ("differs, rounding can explain it", Tone::Bad),
        (Verdict::Differs, _) => ("differs", Tone::Bad),
        (Verdict::NotComputable, _) => ("not computable", Tone::Muted),
    }
}

/// Units of one sign only where the text has none.
fn with_unit(text: &str, claim: &Audited) -> String {
    match claim.unit.as_deref() {
        Some(unit @ ("%" | "x")) if matches!(claim.stated, Answer::Number(_)) && !text.ends_with(unit) => format!("{text}{unit}"),
        _ => text.to_owned(),
    }
}

/// Two digits more than are stated show how near it is.
fn answer_text(answer: &Answer, claim: &Audited) -> String {
    match answer {
        Answer::Text(text) if text.is_empty() => "none".to_owned(),
        Answer::Text(text) => text.clone(),
        Answer::Number(number) if number.abs() >= 1e15 => short(*number),
        Answer::Number(number) => {
            let decimals = claim.stated_text.split_once('.').map_or(0, |(_, rest)| rest.chars().take_while(char::is_ascii_digit).count());
            with_unit(&trimmed(&format!("{number:.*}", decimals + 2), decimals), claim)
        }
    }
}

fn remark(claim: &Audited) -> String {
    let mut sentences = Vec::new();
    match (claim.verdict, &claim.recomputed) {
        (Verdict::Differs, Some(answer)) => {
            sentences.push(format!("stated is {}, the rows give {}.", with_unit(&claim.stated_text, claim), answer_text(answer, claim)));
            if claim.rounding_explains == Some(true) {
                sentences.push(rounding_sentence(claim));
            }
        }
        _ => sentences.extend(claim.reason.as_ref().map(|reason| as_sentence(reason))),
    }
    sentences.extend(claim.note.as_ref().map(|note| as_sentence(note)));
    sentences.join(" ")
}

fn rounding_sentence(claim: &Audited) -> String {
    match (claim.low, claim.high) {
        (Some(low), Some(high)) => {
            format!("The rows are rounded; before, the value was between {} and {}, so rounding can explain it.", short(low), short(high))
        }
        _ => "The rows are rounded; rounding can explain it.".to_owned(),
    }
}

fn as_sentence(text: &str) -> String {
    let mut characters = text.trim().chars();
    let first: String = characters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let sentence = format!("{first}{}", characters.as_str());
    if sentence.ends_with(['.', '!', '?']) { sentence } else { format!("{sentence}.") }
}

fn tally_sentence(tally: Tally) -> String {
    let rounding = match tally.within_rounding {
        0 => String::new(),
        count => format!(" ({count} of them by no more than rounding can explain)"),
    };
    format!(
        "{}: {}, {}{rounding}, {} cannot be recomputed from what is printed.",
        counted(tally.claims, "claim", "claims"),
        counted(tally.hold, "holds", "hold"),
        counted(tally.differ, "differs", "differ"),
        tally.not_computable
    )
}

fn paragraph(text: &str, style: Style) -> String {
    wrapped(text, style.width.max(40)).join("\n") + "\n"
}

fn item(text: &str, style: Style) -> String {
    format!("- {}\n", wrapped(text, style.width.max(40) - 2).join("\n  "))
}

/// Claims one by one, with every step.
fn explanations(library: &Library, chosen: &Chosen<'_>, style: Style) -> String {
    let explained = |audited: &Audited| {
        let claim = chosen.study.claims.iter().find(|claim| claim.id == audited.id)?;
        let steps = library.explain(chosen.study, claim);
        let computation = match &claim.compute {
            Computation::From(formula) => formula.tree.to_string(),
            Computation::Impossible(_) => "–".to_owned(),
        };
        Some(explanation(audited, &computation, &steps, style))
    };
    chosen.shown.iter().filter_map(explained).collect()
}

fn explanation(claim: &Audited, computation: &str, steps: &[Explained], style: Style) -> String {
    let recomputed = claim.recomputed.as_ref().map_or_else(|| "–".to_owned(), |answer| answer_text(answer, claim));
    let mut lines = vec![
        ("where", claim.place.clone()),
        ("claim", claim.claim.clone()),
        ("stated", with_unit(&claim.stated_text, claim)),
        ("computed by", computation.to_owned()),
        ("recomputed", recomputed),
        ("verdict", verdict_words(claim).0.to_owned()),
    ];
    let remark = remark(claim);
    if !remark.is_empty() {
        lines.push(("remark", remark));
    }
    let mut page = format!("{}/{}\n", claim.study, claim.id);
    for (label, text) in lines {
        page += &labelled(label, &text, style);
    }
    if !steps.is_empty() {
        page += "\nStep by step\n";
    }
    for step in steps {
        page += &item(&format!("{} = {}", step.expression, step.value), style);
    }
    page + "\n"
}

fn labelled(label: &str, text: &str, style: Style) -> String {
    const INDENT: usize = 14;
    let lines = wrapped(text, style.width.max(40) - INDENT);
    format!("  {label:12}{}\n", lines.join(&format!("\n{}", " ".repeat(INDENT))))
}
