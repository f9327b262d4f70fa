//! The texts of an artifact, written from what the run and its analysis say.

use miette::miette;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use super::bundle::Bundle;
use super::claims::{self, ClaimRow, SubjectRow, TableRow};
use super::costs::Costs;
use super::programs::Program;
use super::short::Short;
use crate::report::Analysis;
use crate::report::render::markdown::escape;
use crate::shown_text::{bytes, duration, shown};
use crate::store::record::RunData;
use crate::wording::plural;

const TEMPLATES: [(&str, &str); 5] = [
    ("README.md", include_str!("templates/README.md")),
    ("REQUIREMENTS.md", include_str!("templates/REQUIREMENTS.md")),
    ("INSTALL.md", include_str!("templates/INSTALL.md")),
    ("STATUS.md", include_str!("templates/STATUS.md")),
    ("CLAIMS.md", include_str!("templates/CLAIMS.md")),
];

/// parade's own licence, which the scripts and the program are under.
const LICENSE: &str = include_str!("../../../LICENSE");
const OTHERS: &str = "\nThis licence covers parade: the program, the scripts and the texts of this folder. Bundled \
    subjects have licences of their own,
which are among their files. The measurements in run/ are under the same licence, unless their authors say otherwise.
";

/// What the texts are written from.
pub(super) struct Sources<'a> {
    pub run: &'a RunData,
    pub analysis: &'a Analysis,
    pub costs: &'a Costs,
    pub bundle: &'a Bundle,
    pub short: Option<&'a Short>,
    pub program: &'a Program,
    pub folder: &'a crate::store::RunFolder,
    /// Tables in the report's folder.
    pub csv_files: usize,
    pub figures: Vec<String>,
    pub rebuild_seconds: f64,
    pub artifact_bytes: u64,
    pub memory_limit: Option<String>,
    pub user: Option<String>,
    pub logs: bool,
    pub anonymous: bool,
}

/// Every text with its file name.
pub(super) fn render(sources: &Sources<'_>) -> miette::Result<Vec<(&'static str, String)>> {
    let failed = |error: minijinja::Error| miette!("the documents of the artifact could not be created: {error:#}");
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(failed)?);
    environment.add_filter("md", |text: String| escape(&shown_long(&text)));
    let facts = Facts::of(sources);
    let mut texts = Vec::new();
    for (name, template) in TEMPLATES {
        let text = environment.render_named_str(name, template, Serde(&facts)).map_err(failed)?;
        texts.push((name, format!("{}\n", text.trim_end())));
    }
    texts.push(("LICENSE", format!("{LICENSE}{OTHERS}")));
    Ok(texts)
}

/// Lists of names are longer than a name, and still bounded.
fn shown_long(text: &str) -> String {
    crate::shown_text::sentence(text, 2000)
}

#[derive(Serialize)]
struct Facts {
    experiment: String,
    study: Option<String>,
    /// Does parade know what that study published?
    audited: bool,
    what: String,
    headline: Vec<String>,
    /// What a reader must distrust, the gravest first.
    caveats: Vec<String>,
    parade: String,
    parade_version: &'static str,
    merged: usize,
    several_machines: bool,
    started: String,
    quick: bool,
    warnings: usize,
    program: bool,
    program_reason: String,
    command: &'static str,
    short: Option<ShortFacts>,
    rebuild_time: String,
    full_time: String,
    trials: usize,
    trials_time: String,
    preparation_time: String,
    planned: usize,
    incomplete: usize,
    /// Of the experiment files.
    folder: String,
    bundled: String,
    remote: Vec<String>,
    notes: Vec<String>,
    logs: bool,
    anonymous: bool,
    is_virtual: bool,
    machine: MachineFacts,
    cores_needed: usize,
    memory_limit: Option<String>,
    peak_memory: Option<String>,
    disk_needed: String,
    jdks: String,
    maven: String,
    network: bool,
    user: Option<String>,
    artifact_size: String,
    records_size: String,
    logs_size: String,
    clones_size: String,
    builds_size: String,
    downloads_size: String,
    claims: Vec<ClaimRow>,
    subjects: Vec<SubjectRow>,
    tables: Vec<TableRow>,
    csv_files: usize,
    figures: Vec<String>,
}

#[derive(Serialize)]
struct ShortFacts {
    subjects: Vec<String>,
    subject_list: String,
    of_subjects: usize,
    configurations: Vec<String>,
    configuration_list: String,
    of_configurations: usize,
    cores: usize,
    trials: usize,
    time: String,
    fits: bool,
    /// Did the run screen its tests? The short version does not.
    without_screening: bool,
}

#[derive(Serialize)]
struct MachineFacts {
    system: String,
    processor: String,
    memory: String,
}

impl Facts {
    fn of(sources: &Sources<'_>) -> Facts {
        let Sources { run, analysis, costs, bundle, .. } = sources;
        let manifest = &run.manifest;
        let size = |known: Option<u64>| known.map_or_else(not_recorded, bytes);
        let preparation = match costs.preparation_seconds {
            _ if run.subjects.iter().all(|subject| subject.jdk.is_none()) => "a moment".to_owned(),
            known => known.map_or_else(not_recorded, duration),
        };
        let incomplete = analysis.run.planned_trials.saturating_sub(claims::yielding(run));
        Facts {
            experiment: manifest.experiment.clone(),
            study: manifest.study.clone(),
            audited: manifest.study.as_deref().is_some_and(is_published),
            what: what(run),
            headline: analysis.headline.sentences().cloned().collect(),
            caveats: analysis.headline.caveats.clone(),
            parade: manifest.parade.clone(),
            parade_version: env!("CARGO_PKG_VERSION"),
            merged: manifest.merged.len(),
            several_machines: manifest.is_of_several_machines(),
            started: manifest.started_at.strftime("%Y-%m-%d").to_string(),
            quick: manifest.quick,
            warnings: analysis.warnings.len(),
            program: *sources.program == Program::Included,
            program_reason: match sources.program {
                Program::Included => String::new(),
                Program::LeftOut(why) => why.clone(),
            },
            command: if *sources.program == Program::Included { "bin/parade" } else { "parade" },
            short: sources.short.map(|short| ShortFacts::of(short, run)),
            rebuild_time: duration(sources.rebuild_seconds),
            full_time: format!("{} in trials, {preparation} to prepare the subjects", claims::time(costs.all)),
            trials: costs.all.trials,
            trials_time: claims::time(costs.all),
            preparation_time: preparation,
            planned: analysis.run.planned_trials,
            incomplete,
            folder: bundle.folder().to_string_lossy().into_owned(),
            bundled: bundle.bundled.join(", "),
            remote: bundle.remote.clone(),
            notes: bundle.notes.clone(),
            logs: sources.logs,
            anonymous: sources.anonymous,
            is_virtual: costs.all.virtual_seconds > 0.0,
            machine: MachineFacts::of(run),
            cores_needed: manifest.cores.iter().copied().max().unwrap_or(1),
            memory_limit: sources.memory_limit.clone(),
            peak_memory: costs.peak_memory_bytes.filter(|peak| *peak > 0).map(bytes),
            disk_needed: disk_needed(sources),
            jdks: run.environment.jdks.iter().map(|jdk| jdk.version.as_str()).collect::<Vec<_>>().join(", "),
            maven: run.environment.maven.clone().unwrap_or_default(),
            network: run.subjects.iter().any(|subject| subject.jdk.is_some()) || !bundle.remote.is_empty(),
            user: sources.user.clone(),
            artifact_size: bytes(sources.artifact_bytes),
            records_size: size(costs.records_bytes),
            logs_size: size(costs.logs_bytes),
            clones_size: size(costs.clones_bytes),
            builds_size: size(costs.builds_bytes),
            downloads_size: size(costs.downloads_bytes),
            claims: claims::claims(run, analysis, costs, sources.folder),
            subjects: claims::subjects(run, costs),
            tables: claims::tables(analysis),
            csv_files: sources.csv_files,
            figures: sources.figures.clone(),
        }
    }
}

fn is_published(study: &str) -> bool {
    crate::study::Library::embedded(&[]).names().any(|known| known == study)
}

fn not_recorded() -> String {
    "not recorded".to_owned()
}

fn what(run: &RunData) -> String {
    let manifest = &run.manifest;
    format!(
        "This artifact contains an experiment on {} with {}, {} each, {}: its raw data, its report, and everything \
         needed to run it again.",
        plural(manifest.subjects.len(), "subject"),
        plural(manifest.configurations.len(), "configuration"),
        manifest.told_repetitions(),
        plural(run.trials.len(), "trial"),
    )
}

/// Twice the artifact, as results come beside it, and what the subjects took.
fn disk_needed(sources: &Sources<'_>) -> String {
    let costs = sources.costs;
    let results = 2 * sources.artifact_bytes + costs.logs_bytes.unwrap_or(0) + costs.downloads_bytes.unwrap_or(0);
    match (costs.clones_bytes, costs.builds_bytes) {
        (Some(clones), Some(builds)) => format!("about {}", bytes(results + clones + builds)),
        _ => {
            format!("about {}, plus the clones and builds of the subjects, which are not recorded", bytes(results))
        }
    }
}

impl ShortFacts {
    fn of(short: &Short, run: &RunData) -> Self {
        let time =
            if short.seconds > 0.0 { format!("about {}", duration(short.seconds)) } else { "a moment".to_owned() };
        ShortFacts {
            subject_list: short.subjects.join(", "),
            subjects: short.subjects.clone(),
            of_subjects: short.of_subjects,
            configuration_list: short.configurations.join(", "),
            configurations: short.configurations.clone(),
            of_configurations: short.of_configurations,
            cores: short.cores,
            trials: short.trials,
            time,
            fits: short.fits,
            without_screening: run.manifest.screening > 0,
        }
    }
}

impl MachineFacts {
    fn of(run: &RunData) -> Self {
        let machine = &run.environment;
        MachineFacts {
            system: format!("{}, {}, {}", shown(&machine.os), shown(&machine.kernel), shown(&machine.architecture)),
            processor: format!("{}, {}", shown(&machine.cpu_model), plural(machine.logical_cores, "logical core")),
            memory: bytes(machine.memory_bytes),
        }
    }
}
