//! `parade audit`: does what a study states follow from the rows that it prints, and does a run of the reader's own agree?

mod page;

use std::path::PathBuf;
use std::process::ExitCode;

use parade::experiment::{did_you_mean, nearest};
use parade::report::run_report::empty_run_tables;
use parade::report::{Analysis, RunReport};
use parade::study::{AuditedClaim, Faults, Library, Study, Verdict};
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
    /// All of them if empty; with a run, those that have one of its subjects.
    pub studies: Vec<String>,
    /// Where they are, if not those of the program.
    pub folder: Option<PathBuf>,
    /// A run of the reader's own.
    pub run: Option<PathBuf>,
    pub only: Vec<Verdict>,
    pub claim: Option<String>,
    pub strict: bool,
    pub json: bool,
}

/// A study with its claims, and those of them that were asked for.
struct Chosen<'l> {
    study: &'l Study,
    all: Vec<AuditedClaim>,
    shown: Vec<AuditedClaim>,
}

pub fn run(options: &AuditOptions) -> miette::Result<ExitCode> {
    let library = match &options.folder {
        Some(folder) => Library::in_folder(folder, empty_run_tables())?,
        None => Library::embedded(empty_run_tables()),
    };
    let analysis = match &options.run {
        Some(run) => Some(Analysis::of(&parade::store::open_run(run)?)),
        None => None,
    };
    let names = chosen_names(&library, options, analysis.as_ref())?;
    let studies = match chosen_studies(&library, &names)? {
        Ok(studies) => studies,
        Err(faults) => return refuse(faults, options.json),
    };
    let mut chosen = Vec::new();
    for study in studies {
        chosen.push(chosen_claims(&library, study, analysis.as_ref(), options)?);
    }
    if let Some(id) = &options.claim {
        known_claim(&library, &chosen, id)?;
    }
    print(&told(&library, &chosen, options)?)?;
    let differs = chosen.iter().flat_map(|chosen| &chosen.shown).any(|claim| claim.verdict == Verdict::Differs);
    Ok(if options.strict && differs { ExitCode::from(DIFFERS) } else { ExitCode::SUCCESS })
}

fn told(library: &Library, chosen: &[Chosen<'_>], options: &AuditOptions) -> miette::Result<String> {
    let style = terminal_style();
    match (options.json, &options.claim) {
        (true, _) => pretty(&chosen.iter().flat_map(|chosen| &chosen.shown).collect::<Vec<_>>()),
        (false, Some(_)) => Ok(chosen.iter().map(|chosen| page::explanations(library, chosen, style)).collect()),
        (false, None) => Ok(page::page(chosen, style)),
    }
}

/// Those that are named. A run is about one study, if it says so; nothing else is then worth comparing with it.
fn chosen_names(library: &Library, options: &AuditOptions, run: Option<&Analysis>) -> miette::Result<Vec<String>> {
    if !options.studies.is_empty() {
        return Ok(options.studies.clone());
    }
    let all: Vec<String> = library.names().map(str::to_owned).collect();
    match run.map(|run| &run.run.manifest.study) {
        Some(Some(study)) if all.contains(study) => Ok(vec![study.clone()]),
        Some(_) if all.len() > 1 => {
            let message = "the run does not name a study".to_owned();
            Err(BadUsage { message, help: format!("name one: parade audit {} --run …", all.join("|")) }.into())
        }
        _ => Ok(all),
    }
}

/// The studies by name; what is wrong with the files of one matters only if it was asked for.
fn chosen_studies<'l>(library: &'l Library, names: &[String]) -> miette::Result<Result<Vec<&'l Study>, Faults>> {
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
    let document = |file: &parade::experiment::Mistakes| json!({ "file": file.file(), "count": file.count(), "mistakes": file.entries() });
    print(&pretty(&faults.files.iter().map(document).collect::<Vec<_>>())?)?;
    Ok(ExitCode::from(MISTAKEN))
}

fn chosen_claims<'l>(
    library: &Library,
    study: &'l Study,
    run: Option<&Analysis>,
    options: &AuditOptions,
) -> miette::Result<Chosen<'l>> {
    let mut all = library.audit(study);
    if let Some(analysis) = run {
        let compared = library.compared(study, RunReport::new(analysis).run_tables()?);
        for (audited, claim) in all.iter_mut().zip(&study.claims) {
            audited.own = Some(compared.answer(claim));
        }
    }
    let by_verdict = |claim: &&AuditedClaim| options.only.is_empty() || options.only.contains(&claim.verdict);
    let by_id = |claim: &&AuditedClaim| options.claim.as_ref().is_none_or(|id| is_called(claim, id));
    let shown = all.iter().filter(by_verdict).filter(by_id).cloned().collect();
    Ok(Chosen { study, all, shown })
}

fn is_called(claim: &AuditedClaim, id: &str) -> bool {
    claim.id == id || id.split_once('/').is_some_and(|(study, id)| claim.study == study && claim.id == id)
}

fn known_claim(library: &Library, chosen: &[Chosen<'_>], id: &str) -> Result<(), BadUsage> {
    let claims = || chosen.iter().flat_map(|chosen| &chosen.all);
    if claims().any(|claim| is_called(claim, id)) {
        return Ok(());
    }
    let other = id.split_once('/').map(|(study, _)| study).filter(|study| library.names().any(|name| name == *study));
    if let Some(study) = other.filter(|study| chosen.iter().all(|chosen| chosen.study.name != *study)) {
        let message = format!("`{}` belongs to the study `{study}`, which is not selected", id.escape_debug());
        return Err(BadUsage { message, help: format!("parade audit {study} --claim {}", id.escape_debug()) });
    }
    let known: Vec<String> = match id.split_once('/').filter(|(study, _)| claims().any(|claim| claim.study == *study)) {
        Some((study, _)) => {
            let of_study = claims().filter(|claim| claim.study == study);
            of_study.map(|claim| format!("{study}/{}", claim.id)).collect()
        }
        None => claims().map(|claim| claim.id.clone()).collect(),
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let message = format!("there is no claim `{}`", id.escape_debug());
    Err(BadUsage { message, help: nearest(id, "claims", &known) })
}
