//! A folder that a reviewer can work with: the raw data of a run, the report on it, the experiment with its subjects, the
//! program, and texts that say what each claim takes. It runs from there.
//!
//! Nothing is measured and nothing run here. The run's own folder is only read; the artifact appears under its name when it
//! is whole.

mod anonymizer;
mod bundle;
mod checksums;
mod claims;
mod costs;
mod documents;
mod edits;
mod links;
mod programs;
mod short;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use miette::miette;

use crate::bad_usage::BadUsage;
use crate::draft::{self, Draft};
use crate::experiment;
use crate::folders;
use crate::home::Home;
use crate::report::{self, Analysis};
use crate::store::record::{CommandKind, RunData};
use crate::store::{self, RunFolder};
use crate::whole_file::write_atomically;
use crate::wording::plural;

use anonymizer::Anonymizer;
use bundle::{Bundle, Places};
use costs::Costs;
use programs::{Names, Program};
use short::Short;

/// What kind of artifact is wanted, and where.
#[derive(Debug)]
pub struct ArtifactRequest {
    pub run: PathBuf,
    /// A folder that is not there yet.
    pub out: PathBuf,
    /// The experiment file, where the run does not say where it lay.
    pub experiment: Option<PathBuf>,
    /// For blind review: without hosts, users and paths.
    pub anonymous: bool,
    /// Where clones and builds are kept; their sizes are told if they are there.
    pub home: Option<Home>,
}

/// An artifact that was made.
#[derive(Debug)]
pub struct Artifact {
    pub dir: PathBuf,
    pub files: usize,
    pub bytes: u64,
    pub short: Option<ShortVersion>,
    /// Why the program is not in it, if it is not.
    pub without_program: Option<String>,
    /// What its authors have to know, a sentence each.
    pub notes: Vec<String>,
}

/// What the ten-minute version runs.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ShortVersion {
    pub subjects: Vec<String>,
    pub configurations: Vec<String>,
    pub cores: usize,
    pub trials: usize,
    /// Expected, from the measured times.
    pub seconds: f64,
}

/// Makes an artifact of a run.
pub fn make(order: &ArtifactRequest) -> miette::Result<Artifact> {
    draft::check_free(&order.out)?;
    let folder = RunFolder::open(&order.run)?;
    check_experiment(&folder)?;
    draft::check_outside(&order.out, folder.dir())?;
    let draft = Draft::of(&order.out, ".parade-artifact-")?;
    let mut artifact = fill(order, &folder, draft.path())?;
    draft.publish()?;
    artifact.dir = order.out.clone();
    Ok(artifact)
}

/// A detection has no experiment file to run again.
fn check_experiment(folder: &RunFolder) -> miette::Result<()> {
    if folder.manifest()?.command == Some(CommandKind::Detect) {
        let message = "this run is of parade detect; artifacts are made of experiments".to_owned();
        return Err(BadUsage { message, help: "name the run folder of an experiment".to_owned() }.into());
    }
    Ok(())
}

fn fill(order: &ArtifactRequest, folder: &RunFolder, to: &Path) -> miette::Result<Artifact> {
    let run = folder.read()?;
    let costs = Costs::of(&run, folder, order.home.as_ref());
    let experiment = to.join("experiment");
    fs::create_dir_all(&experiment).map_err(|error| miette!("{}: {error}", experiment.display()))?;
    let places = Places { from: experiment_folder(order, &run)?, to: &experiment };
    let mut bundle = bundle::bundle(&run, &folder.experiment_text()?, &places)?;
    let veil = order.anonymous.then(|| veil_over(order, &run, &bundle, &places));
    let mut short = short::choose(&run, &costs, &bundle.text)?;
    if let Some(veil) = &veil {
        bundle = veiled(bundle, veil)?;
        short = short.map(|short| short.rewritten(&|text| veil.text(text))).transpose()?;
    }
    write_experiments(&experiment.join(&bundle.below), &bundle, short.as_ref(), cores_of(&run))?;
    let copied = copy_run(folder, &to.join("run"), veil.as_ref())?;
    let program = programs::copy_program(to, veil.as_ref())?;
    // What the files say, as the folders of results are called by it.
    let full = setting(&bundle.text, "experiment", "name").unwrap_or_else(|| run.manifest.experiment.clone());
    let short_name = short.as_ref().map(|short| short.name.as_str());
    programs::write_scripts(to, &Names { folder: &bundle.folder(), full: &full, short: short_name })?;
    write_documents(to, &copied, &costs, &bundle, short.as_ref(), &program, order.anonymous)?;
    programs::write_check(to, folders::files(to)?.len() + 1)?;
    let files = checksums::write(to)?;
    let mut notes: Vec<String> = folder.doubts(&run).sentences().collect();
    notes.extend(bundle.notes.iter().cloned());
    notes.extend(veil.iter().flat_map(|veil| still_told(to, veil, &bundle)));
    notes.extend(veil.iter().filter_map(Anonymizer::told_by_tests));
    notes.extend(veil.as_ref().and_then(|_| without_knowledge(folder.dir())));
    notes.extend(other_program(&copied.data));
    Ok(Artifact {
        dir: to.to_owned(),
        files,
        bytes: folders::bytes(to).unwrap_or(0),
        short: short.map(ShortVersion::from),
        without_program: match program {
            Program::Included => None,
            Program::LeftOut(why) => Some(why),
        },
        notes,
    })
}

impl From<Short> for ShortVersion {
    fn from(short: Short) -> Self {
        let Short { subjects, configurations, cores, trials, seconds, .. } = short;
        ShortVersion { subjects, configurations, cores, trials, seconds }
    }
}

/// Where relative paths of the experiment file start.
fn experiment_folder(order: &ArtifactRequest, run: &RunData) -> miette::Result<Option<PathBuf>> {
    let Some(file) = &order.experiment else {
        return Ok(run.manifest.experiment_folder.as_ref().map(PathBuf::from));
    };
    let file = file.canonicalize().map_err(|error| miette!("{} could not be read: {error}", file.display()))?;
    Ok(file.parent().map(Path::to_owned))
}

fn veil_over(order: &ArtifactRequest, run: &RunData, bundle: &Bundle, places: &Places<'_>) -> Anonymizer {
    let current = std::env::current_dir().ok();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let run_dir = order.run.canonicalize().ok();
    let cache = order.home.as_ref().map(|home| home.root().to_owned());
    let known = [current, home, run_dir, cache, places.from.clone()];
    let folders: Vec<&Path> = known.iter().flatten().map(PathBuf::as_path).collect();
    Anonymizer::of(run, &bundle.remote, &folders)
}

fn veiled(bundle: Bundle, veil: &Anonymizer) -> miette::Result<Bundle> {
    let text = bundle::rewritten(&bundle.text, &|text| veil.text(text))?;
    Ok(Bundle { text, notes: bundle.notes.iter().map(|note| veil.text(note)).collect(), ..bundle })
}

/// Those of the machine that the run was made on, and at least as many as it asked for: a merged run has several machines.
fn cores_of(run: &RunData) -> usize {
    run.manifest.cores.iter().copied().fold(run.environment.logical_cores, usize::max)
}

fn write_experiments(folder: &Path, bundle: &Bundle, short: Option<&Short>, cores: usize) -> miette::Result<()> {
    let full = (bundle::FULL, bundle.text.as_str());
    let short = short.map(|short| (bundle::SHORT, short.text.as_str()));
    let files: Vec<(&str, &str)> = std::iter::once(full).chain(short).collect();
    for (name, text) in &files {
        write_atomically(&folder.join(name), text.as_bytes())?;
    }
    files.iter().try_for_each(|(name, _)| check_loads(&folder.join(name), name, cores))
}

/// A reviewer must be able to run it, on a machine like that of the run.
fn check_loads(file: &Path, name: &str, cores: usize) -> miette::Result<()> {
    let Err(mistakes) = experiment::load_for_elsewhere(file, cores) else { return Ok(()) };
    let told = mistakes.entries().first().map(|mistake| mistake.message.clone()).unwrap_or_default();
    Err(miette!(
        help = "run parade check on the experiment file; with --anonymous, a name in it may have become one that is \
            not allowed",
        "the artifact's {name} cannot be run: {told}"
    ))
}

/// The run in the artifact, with a report that was made from it.
struct CopiedRun {
    folder: RunFolder,
    data: RunData,
    analysis: Analysis,
    rebuild_seconds: f64,
    has_logs: bool,
}

fn copy_run(folder: &RunFolder, to: &Path, veil: Option<&Anonymizer>) -> miette::Result<CopiedRun> {
    let copy = match veil {
        Some(veil) => store::export_rewritten(folder, to, &|key, text| veil.over(key, text))?,
        None => store::export(folder, to)?,
    };
    let begun = Instant::now();
    let _ = fs::remove_dir_all(to.join("report"));
    let data = copy.read()?;
    let analysis = Analysis::checked(&data, &copy.totals(&data));
    report::write_all(&analysis, to)?;
    let has_logs = folders::files(&to.join("logs")).is_ok_and(|logs| !logs.is_empty());
    Ok(CopiedRun { folder: copy, data, analysis, rebuild_seconds: begun.elapsed().as_secs_f64(), has_logs })
}

fn write_documents(
    to: &Path,
    copied: &CopiedRun,
    costs: &Costs,
    bundle: &Bundle,
    short: Option<&Short>,
    program: &Program,
    anonymous: bool,
) -> miette::Result<()> {
    let report = to.join("run/report");
    let figures = folders::files(&report.join("figures")).unwrap_or_default();
    let is_table = |file: &PathBuf| file.components().count() == 1 && file.extension().is_some_and(|e| e == "csv");
    let csv_files = folders::files(&report).unwrap_or_default().iter().filter(|file| is_table(file)).count();
    let texts = documents::render(&documents::Sources {
        run: &copied.data,
        analysis: &copied.analysis,
        costs,
        bundle,
        short,
        program,
        folder: &copied.folder,
        csv_files,
        figures: figures.iter().map(|file| file.to_string_lossy().into_owned()).collect(),
        rebuild_seconds: copied.rebuild_seconds,
        artifact_bytes: folders::bytes(to).unwrap_or(0),
        memory_limit: setting(&bundle.text, "machine", "memory"),
        user: setting(&bundle.text, "machine", "user")
            .or_else(|| copied.data.subjects.iter().find_map(|s| s.user.clone())),
        logs: copied.has_logs,
        anonymous,
    })?;
    for (name, text) in texts {
        write_atomically(&to.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// A text in a table of the experiment file.
fn setting(experiment: &str, table: &str, key: &str) -> Option<String> {
    let file: toml::Table = experiment.parse().ok()?;
    file.get(table)?.get(key)?.as_str().map(str::to_owned)
}

/// Durations, coverage and dependencies name tests and folders in many files. An anonymous artifact has none of them.
fn without_knowledge(run: &Path) -> Option<String> {
    let files = fs::read_dir(run.join("knowledge")).ok()?.count();
    (files > 0).then(|| {
        "run/knowledge (durations, coverage and dependencies that algorithms used) is not in an anonymous artifact. Tables and \
         figures can be rebuilt without it; a new run measures it again"
            .to_owned()
    })
}

/// What an anonymous artifact still tells, file by file: bundled files are never changed.
fn still_told(to: &Path, veil: &Anonymizer, bundle: &Bundle) -> Vec<String> {
    const LISTED: usize = 20;
    let mut notes = Vec::new();
    for file in folders::files(to).unwrap_or_default() {
        let Ok(bytes) = fs::read(to.join(&file)) else { continue };
        let name = file.to_string_lossy();
        if let Some(word) = veil.found_in(&bytes).or_else(|| veil.found_in(name.as_bytes())) {
            notes.push(format!("{name} still contains `{word}`"));
        }
    }
    if let Some(more) = notes.len().checked_sub(LISTED).filter(|more| *more > 0) {
        notes.truncate(LISTED);
        notes.push(format!("{} more still contain such a name", plural(more, "file")));
    }
    notes.extend(
        bundle
            .remote
            .iter()
            .filter(|url| veil.found_in(url.as_bytes()).is_some())
            .map(|url| format!("the address {url} is kept, although it contains your name")),
    );
    notes
}

/// The program in the artifact should be the one that made the run.
fn other_program(run: &RunData) -> Option<String> {
    let here = env!("CARGO_PKG_VERSION");
    let made = &run.manifest.parade;
    (made != here).then(|| format!("parade {made} made the run, and parade {here} made the artifact"))
}
