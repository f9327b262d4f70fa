//! What an audit found, for a person: tables of claims, what differs in sentences, and sums.

use parade::report::render::terminal::{Style, render_table, wrapped};
use parade::report::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone, sentence};
use parade::study::explain::{Explained, short, trimmed};
use parade::study::{
    AuditedClaim, ClaimAnswer, ClaimTally, Computation, Library, OwnAnswer, OwnVerdict, Study, Verdict,
};
use parade::wording::counted;

use super::Chosen;

/// A screen is taken to be at least this wide.
const NARROWEST: usize = 40;
/// Texts of a study's files end here; an expression is no longer.
const LONGEST: usize = 12_000;

/// Files of studies may hold anything, and must not steer the terminal.
fn safe(text: &str) -> String {
    sentence(text, LONGEST)
}

pub fn page(chosen: &[Chosen<'_>], style: Style) -> String {
    let sums = sums(chosen, style);
    let tables: String = chosen.iter().map(|chosen| study_page(chosen, style)).collect();
    // Of several studies the sums come first too: their tables fill many screens.
    if chosen.len() > 1 && !tables.is_empty() { format!("{sums}\n{tables}{sums}") } else { tables + &sums }
}

fn sums(chosen: &[Chosen<'_>], style: Style) -> String {
    let mut page = String::new();
    for chosen in chosen {
        page +=
            &paragraph(&format!("{}: {}", chosen.study.name, tally_sentence(ClaimTally::count(&chosen.all))), style);
        page += &own_sentence(&chosen.all).map_or_else(String::new, |sentence| paragraph(&sentence, style));
    }
    if chosen.len() > 1 {
        let all = ClaimTally::count(chosen.iter().flat_map(|chosen| &chosen.all));
        page += &paragraph(&format!("All {} studies: {}", chosen.len(), tally_sentence(all)), style);
    }
    page
}

fn study_page(chosen: &Chosen<'_>, style: Style) -> String {
    if chosen.shown.is_empty() {
        return String::new();
    }
    let has_own = chosen.shown.iter().any(|claim| claim.own.is_some());
    let mut columns = DisplayColumn::aligned(&["<id", "<where", "<claim", ">stated", ">recomputed", "<verdict"]);
    if has_own {
        columns.extend([DisplayColumn::right("own run"), DisplayColumn::left("own verdict")]);
    }
    let table = DisplayTable {
        title: safe(&study_title(chosen.study)),
        columns,
        rows: chosen.shown.iter().map(claim_row).collect(),
        notes: chosen.study.remarks.iter().map(|remark| safe(remark)).collect(),
        ..DisplayTable::default()
    };
    let mut page = render_table(&table, style);
    for (title, verdict) in [("What differs", Verdict::Differs), ("What cannot be recomputed", Verdict::NotComputable)]
    {
        let lines = chosen.shown.iter().filter(|claim| claim.verdict == verdict);
        page += &section(title, lines.map(|claim| format!("{}: {}", claim.id, remark(claim))), style);
    }
    page += &section("Compared with your run", chosen.shown.iter().filter_map(own_remark), style);
    page.push('\n');
    page
}

fn section(title: &str, lines: impl Iterator<Item = String>, style: Style) -> String {
    let items: String = lines.map(|line| item(&line, style)).collect();
    if items.is_empty() { items } else { format!("\n{title}\n{items}") }
}

fn study_title(study: &Study) -> String {
    let year = study.year.map_or_else(String::new, |year| format!(" ({year})"));
    format!("{}: {}{year}", study.name, study.title)
}

fn claim_row(claim: &AuditedClaim) -> DisplayRow {
    let recomputed = claim.recomputed.as_ref().map_or_else(|| "–".to_owned(), |answer| answer_text(answer, claim));
    let (verdict, tone) = verdict_words(claim);
    let mut cells = vec![
        DisplayCell::new(safe(&claim.id)).toned(Tone::Muted),
        DisplayCell::new(safe(&claim.place)),
        DisplayCell::new(safe(&claim.claim)),
        DisplayCell::new(narrow(&with_unit(&claim.stated_text, claim))),
        DisplayCell::new(narrow(&recomputed)),
        DisplayCell::new(verdict).toned(tone),
    ];
    if let Some(own) = &claim.own {
        let value = own.own.as_ref().map_or_else(|| "–".to_owned(), |answer| answer_text(answer, claim));
        let (verdict, tone) = own_words(own.own_verdict);
        cells.extend([DisplayCell::new(narrow(&value)), DisplayCell::new(verdict).toned(tone)]);
    }
    DisplayRow::body(cells)
}

/// Lists of names would take the room of everything else; the remarks and `--claim` have them whole.
fn narrow(text: &str) -> String {
    const WIDEST: usize = 18;
    let text = safe(text);
    if text.chars().count() <= WIDEST {
        return text;
    }
    let head: String = text.chars().take(WIDEST - 1).collect();
    format!("{}…", head.trim_end())
}

fn verdict_words(claim: &AuditedClaim) -> (&'static str, Tone) {
    match (claim.verdict, claim.rounding_explains) {
        (Verdict::Holds, _) => ("holds", Tone::Good),
        (Verdict::Differs, Some(true)) => ("differs, rounding can explain it", Tone::Bad),
        (Verdict::Differs, _) => ("differs", Tone::Bad),
        (Verdict::NotComputable, _) => ("not computable", Tone::Muted),
    }
}

fn own_words(verdict: OwnVerdict) -> (&'static str, Tone) {
    match verdict {
        OwnVerdict::Reproduced => ("reproduced", Tone::Good),
        OwnVerdict::DirectionOnly => ("direction only", Tone::Plain),
        OwnVerdict::NotReproduced => ("not reproduced", Tone::Bad),
        OwnVerdict::NotRun => ("not run", Tone::Muted),
    }
}

/// Units of one sign only, where the text has none.
fn with_unit(text: &str, claim: &AuditedClaim) -> String {
    match claim.unit.as_deref() {
        Some(unit @ ("%" | "x")) if matches!(claim.stated, ClaimAnswer::Number(_)) && !text.ends_with(unit) => {
            format!("{text}{unit}")
        }
        _ => text.to_owned(),
    }
}

/// Two digits more than are stated show how near it is.
fn answer_text(answer: &ClaimAnswer, claim: &AuditedClaim) -> String {
    match answer {
        ClaimAnswer::Text(text) if text.is_empty() => "none".to_owned(),
        ClaimAnswer::Text(text) => text.clone(),
        ClaimAnswer::Number(number) if number.abs() >= 1e15 => short(*number),
        ClaimAnswer::Number(number) => {
            let fraction = claim.stated_text.split_once('.').map_or("", |(_, fraction)| fraction);
            let decimals = fraction.chars().take_while(char::is_ascii_digit).count();
            with_unit(&trimmed(&format!("{number:.*}", decimals + 2), decimals), claim)
        }
    }
}

fn remark(claim: &AuditedClaim) -> String {
    let mut sentences = Vec::new();
    match (claim.verdict, &claim.recomputed) {
        (Verdict::Differs, Some(answer)) => {
            let (stated, given) = (with_unit(&claim.stated_text, claim), answer_text(answer, claim));
            sentences.push(format!("the study states {stated}; its rows give {given}."));
            if claim.rounding_explains == Some(true) {
                sentences.push(rounding_sentence(claim));
            }
        }
        _ => sentences.extend(claim.reason.as_deref().map(as_sentence)),
    }
    sentences.extend(claim.note.as_deref().map(as_sentence));
    sentences.join(" ")
}

fn rounding_sentence(claim: &AuditedClaim) -> String {
    match (claim.low, claim.high) {
        (Some(low), Some(high)) => format!(
            "The rows are rounded: from unrounded rows the value lies between {} and {}, so rounding can explain it.",
            short(low),
            short(high)
        ),
        _ => "The rows are rounded; rounding can explain it.".to_owned(),
    }
}

/// What a claim was compared with, and on how many subjects.
fn own_remark(claim: &AuditedClaim) -> Option<String> {
    let own = claim.own.as_ref()?;
    let value = answer_text(own.own.as_ref()?, claim);
    let stated = with_unit(&claim.stated_text, claim);
    let (words, _) = own_words(own.own_verdict);
    let told = if own.own_subjects == own.own_of {
        format!("{words}: {value}; the study states {stated}")
    } else {
        let same = match &own.own_reference {
            Some(reference) => format!("the published rows of these subjects give {}", answer_text(reference, claim)),
            None => own.own_reason.clone().unwrap_or_default(),
        };
        format!("{words} on {}: {value}; {same}; for all subjects, the study states {stated}", coverage(own))
    };
    Some(format!("{}: {told}.", claim.id))
}

fn coverage(own: &OwnAnswer) -> String {
    format!("{} of {} subjects", own.own_subjects, own.own_of)
}

fn own_sentence(claims: &[AuditedClaim]) -> Option<String> {
    let own: Vec<&OwnAnswer> = claims.iter().filter_map(|claim| claim.own.as_ref()).collect();
    let first = own.first()?;
    let number = |verdict: OwnVerdict| own.iter().filter(|own| own.own_verdict == verdict).count();
    Some(format!(
        "Your run has {}: {} reproduced, {} in direction only, {} not reproduced, {} not run.",
        coverage(first),
        number(OwnVerdict::Reproduced),
        number(OwnVerdict::DirectionOnly),
        number(OwnVerdict::NotReproduced),
        number(OwnVerdict::NotRun)
    ))
}

fn as_sentence(text: &str) -> String {
    let mut characters = text.trim().chars();
    let first: String = characters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let sentence = format!("{first}{}", characters.as_str());
    if sentence.ends_with(['.', '!', '?']) { sentence } else { format!("{sentence}.") }
}

fn tally_sentence(tally: ClaimTally) -> String {
    let rounding = match tally.within_rounding {
        0 => String::new(),
        count => format!(" ({count} of them explained by rounding)"),
    };
    format!(
        "{}: {}, {}{rounding}, {} cannot be recomputed from the printed data.",
        counted(tally.claims, "claim", "claims"),
        counted(tally.hold, "holds", "hold"),
        counted(tally.differ, "differs", "differ"),
        tally.not_computable
    )
}

fn paragraph(text: &str, style: Style) -> String {
    wrapped(&safe(text), style.width.max(NARROWEST)).join("\n") + "\n"
}

fn item(text: &str, style: Style) -> String {
    format!("- {}\n", wrapped(&safe(text), style.width.max(NARROWEST) - 2).join("\n  "))
}

/// Claims one by one, with every step.
pub fn explanations(library: &Library, chosen: &Chosen<'_>, style: Style) -> String {
    let explained = |audited: &AuditedClaim| {
        let claim = chosen.study.claims.iter().find(|claim| claim.id == audited.id)?;
        let steps = library.explain(chosen.study, claim);
        let computation = match &claim.compute {
            Computation::From(formula) => formula.tree.to_string(),
            Computation::Impossible(_) => "–".to_owned(),
        };
        Some(explanation(audited, computation, &steps, style))
    };
    chosen.shown.iter().filter_map(explained).collect()
}

fn explanation(claim: &AuditedClaim, computation: String, steps: &[Explained], style: Style) -> String {
    let recomputed = claim.recomputed.as_ref().map_or_else(|| "–".to_owned(), |answer| answer_text(answer, claim));
    let lines = [
        ("where", claim.place.clone()),
        ("claim", claim.claim.clone()),
        ("stated", with_unit(&claim.stated_text, claim)),
        ("computed by", computation),
        ("recomputed", recomputed),
        ("verdict", verdict_words(claim).0.to_owned()),
        ("remark", remark(claim)),
        ("own run", own_remark(claim).unwrap_or_default()),
    ];
    let mut page = format!("{}\n", safe(&format!("{}/{}", claim.study, claim.id)));
    for (label, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        page += &labelled(label, text, style);
    }
    page += &section("Step by step", steps.iter().map(|step| format!("{} = {}", step.expression, step.value)), style);
    page + "\n"
}

fn labelled(label: &str, text: &str, style: Style) -> String {
    const INDENT: usize = 14;
    let lines = wrapped(&safe(text), style.width.max(NARROWEST) - INDENT);
    format!("  {label:12}{}\n", lines.join(&format!("\n{}", " ".repeat(INDENT))))
}
