//! `parade check`: is the experiment file right, what would run, how long at most, and what could it show?

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use parade::engine::{EngineKind, Mode, Parallelism};
use parade::experiment::{
    self, ConfigurationOutlook, Experiment, KnowledgeOutlook, MachineLimits, Mistakes, Outlook, Plan, SubjectOutlook,
    format_duration,
};
use parade::technique::Harness;
use parade::wording::plural;
use serde_json::json;

use super::output::{pretty, print, table};

/// Exit code for a bad experiment file.
const MISTAKEN: u8 = 2;

#[derive(Debug)]
pub struct CheckOptions {
    pub file: PathBuf,
    pub quick: bool,
    /// As `run` takes them.
    pub only: Vec<String>,
    pub json: bool,
}

pub fn run(options: &CheckOptions) -> miette::Result<ExitCode> {
    match experiment::load(&options.file, &MachineLimits::here()) {
        Ok(loaded) => {
            let (loaded, plan) = loaded.planned(options.quick, &options.only)?;
            show(&loaded.experiment, &plan, options.json)
        }
        Err(mistakes) => refuse(mistakes, options.json),
    }
}

/// Mistakes as a document for a script; for a person they are an error.
pub fn refuse(mistakes: Mistakes, json: bool) -> miette::Result<ExitCode> {
    if !json {
        return Err(mistakes.into());
    }
    print(&pretty(&mistakes_document(&mistakes))?)?;
    Ok(ExitCode::from(MISTAKEN))
}

/// Prints a plan; `run --dry-run` does the same.
pub fn show(experiment: &Experiment, plan: &Plan, json: bool) -> miette::Result<ExitCode> {
    let outlook = Outlook::of(experiment, plan);
    print(&if json { pretty(&outlook)? } else { page(&outlook) })?;
    Ok(ExitCode::SUCCESS)
}

fn mistakes_document(mistakes: &Mistakes) -> serde_json::Value {
    json!({ "file": mistakes.file(), "count": mistakes.count(), "mistakes": mistakes.entries() })
}

/// The plan for a person.
fn page(outlook: &Outlook) -> String {
    let mut page = title(outlook);
    page.push_str("\n\n");
    page.push_str(&table(subject_rows(&outlook.subjects)));
    page.push('\n');
    page.push_str(&table(configuration_rows(&outlook.configurations, &outlook.baseline)));
    page.push_str(&legend(outlook));
    page.push('\n');
    page.push_str(&table(summary_rows(outlook)));
    page.push_str(&inferences(&outlook.subjects));
    if !outlook.warnings.is_empty() {
        page.push_str("\nWarnings\n");
    }
    for warning in &outlook.warnings {
        let _ = writeln!(page, "  - {warning}");
    }
    page
}

fn title(outlook: &Outlook) -> String {
    match &outlook.study {
        Some(study) => format!("{} (study: {study})", outlook.experiment),
        None => outlook.experiment.clone(),
    }
}

fn subject_rows(subjects: &[SubjectOutlook]) -> Vec<Vec<String>> {
    let mut rows = vec![row(["subject", "from", "at", "repetitions", "trials"])];
    rows.extend(subjects.iter().map(|subject| {
        let label = subject.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
        vec![
            format!("{}{label}", subject.name),
            subject.source.clone(),
            subject.revision.clone().unwrap_or_else(|| "–".to_owned()),
            subject.repetitions.to_string(),
            subject.trials.to_string(),
        ]
    }));
    rows
}

fn configuration_rows(configurations: &[ConfigurationOutlook], baseline: &str) -> Vec<Vec<String>> {
    let mut rows = vec![row(["configuration", "technique", "parallel", "threads", "forks", "engine", ""])];
    rows.extend(configurations.iter().map(|configuration| {
        let [parallel, threads, forks] = widths(&configuration.parallelism);
        let note = if configuration.name == baseline { "baseline" } else { "" };
        let engine = engine_of(configuration);
        let technique = technique_of(configuration);
        vec![configuration.name.clone(), technique, parallel, threads, forks, engine, note.to_owned()]
    }));
    rows
}

/// Modes and algorithms in words, each once.
fn legend(outlook: &Outlook) -> String {
    let cores = outlook.cores.iter().copied().max().unwrap_or(1);
    let mut lines: Vec<String> = Vec::new();
    for configuration in &outlook.configurations {
        let line = match configuration.technique.algorithm() {
            Some(algorithm) => algorithm.explained().to_owned(),
            None => parallelism_of(configuration, cores),
        };
        let line = format!("  {}: {line}\n", configuration.name);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    format!("\nWhat runs when\n{}", lines.concat())
}

/// In the words of the platform, where all its subjects are of one.
fn parallelism_of(configuration: &ConfigurationOutlook, cores: usize) -> String {
    let parallelism = &configuration.parallelism;
    match (configuration.harness.engine, configuration.only_engines.is_empty()) {
        (EngineKind::Pytest, _) => parallelism.explained_in_processes(cores, "project's addopts"),
        (_, true) => parallelism.explained(),
        (_, false) => parallelism.explained_plainly(),
    }
}

/// With what makes one order of an algorithm another.
fn technique_of(configuration: &ConfigurationOutlook) -> String {
    let mut text = configuration.technique.to_string();
    if let Some(ordering) = configuration.ordering {
        if ordering.enhanced {
            text.push_str(", enhanced");
        }
        if ordering.algorithm.is_parallel() {
            let _ = write!(text, ", {}", plural(ordering.machines as usize, "machine"));
        }
    }
    text
}

fn engine_of(configuration: &ConfigurationOutlook) -> String {
    let Harness { engine, rerun_engine, .. } = configuration.harness;
    let told = if configuration.technique.reruns() && rerun_engine != engine {
        format!("{engine}, reruns {rerun_engine}")
    } else {
        engine.to_string()
    };
    let others = configuration.only_engines.iter().filter(|only| **only != engine).map(|only| match only {
        EngineKind::Model => "; model for model suites",
        EngineKind::Pytest => "; pytest for pytest projects",
        EngineKind::Surefire | EngineKind::Direct => "",
    });
    told + &others.collect::<String>()
}

fn widths(parallelism: &Parallelism) -> [String; 3] {
    let dash = || "–".to_owned();
    let modules = parallelism.modules.map(|modules| format!("modules {modules}"));
    match parallelism.mode {
        Mode::Sequential => [modules.unwrap_or_else(dash), dash(), dash()],
        Mode::Project => [parallelism.mode.to_string(), dash(), dash()],
        Mode::Methods | Mode::Classes | Mode::ClassesAndMethods => {
            let per_core = if parallelism.threads_per_core { " per core" } else { "" };
            let reuse = if parallelism.reuse_forks { "" } else { ", not reused" };
            [
                [Some(parallelism.mode.to_string()), modules].into_iter().flatten().collect::<Vec<_>>().join(", "),
                format!("{}{per_core}", parallelism.threads),
                format!("{}{reuse}", parallelism.forks),
            ]
        }
    }
}

fn summary_rows(outlook: &Outlook) -> Vec<Vec<String>> {
    let cores: Vec<_> = outlook.cores.iter().map(ToString::to_string).collect();
    let mut rows = vec![row(["cores", &cores.join(", ")]), row(["trials", &trials(outlook)])];
    if outlook.versions_sought {
        let text = "searched in the history when the run begins; the numbers of versions and trials are upper limits";
        rows.push(row(["versions", text]));
    }
    rows.extend(outlook.knowledge.as_ref().map(|knowledge| row(["before", &knowledge_of(knowledge)])));
    rows.push(row(["time", &time(outlook)]));
    rows.extend(power(outlook).map(|power| row(["power", &power])));
    rows
}

fn time(outlook: &Outlook) -> String {
    let models = outlook.subjects.iter().filter(|subject| subject.model).count();
    if models > 0 && models == outlook.subjects.len() {
        return "seconds: the times of model suites are computed; nothing is measured".to_owned();
    }
    let longest = format_duration(Duration::from_secs(outlook.at_most_seconds));
    let others = if models > 0 { "; the times of model suites are computed, which takes seconds" } else { "" };
    format!("at most {longest}, if every build and run took its whole time-out; unknown before a first run{others}")
}

/// What is found out before orders are evaluated.
fn knowledge_of(knowledge: &KnowledgeOutlook) -> String {
    let mut found = vec!["durations of tests"];
    if knowledge.coverage {
        found.push("their coverage");
    }
    if knowledge.dependencies_sought {
        found.push("dependencies in the orders of the algorithms");
    }
    let rounds = match knowledge.rounds {
        0 => String::new(),
        rounds => format!("; {} on every version", plural(rounds as usize, "random order")),
    };
    let subjects = plural(knowledge.subjects.len(), "subject");
    format!("on the first version of {subjects}: {}{rounds}", found.join(", "))
}

/// What the study does not say, with the grounds for taking it so.
fn inferences(subjects: &[SubjectOutlook]) -> String {
    let mut text = String::new();
    let mut told: Vec<&str> = Vec::new();
    for subject in subjects {
        let name = subject.version.as_ref().map_or(&subject.name, |version| &version.of);
        if let (Some(why), false) = (&subject.inferred, told.contains(&name.as_str())) {
            let head = if told.is_empty() { "\nInferred\n" } else { "" };
            let _ = writeln!(text, "{head}  - {name}: {why}");
            told.push(name);
        }
    }
    text
}

fn trials(outlook: &Outlook) -> String {
    format!("{} measured, {} warm-up, {} screening", outlook.trials, outlook.warmup, outlook.screening)
}

/// Nothing where no speed is tested: orders of algorithms are evaluated by what fails in them.
fn power(outlook: &Outlook) -> Option<String> {
    let is_tested = |each: &ConfigurationOutlook| each.ordering.is_none() && each.name != outlook.baseline;
    if !outlook.configurations.iter().any(is_tested) {
        return None;
    }
    let fewest = outlook.subjects.iter().map(|subject| subject.repetitions).min().unwrap_or(0);
    let repetitions = if fewest == 1 { "repetition" } else { "repetitions" };
    Some(format!(
        "smallest possible p for one subject: {} ({fewest} {repetitions}, exact two-sided Wilcoxon test)",
        outlook.smallest_p
    ))
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LIMITS: MachineLimits = MachineLimits { cores: 8, memory_bytes: 8 << 30 };

    fn outlook(file: &str) -> Outlook {
        parade::register_platforms();
        let loaded = experiment::load(Path::new(file), &LIMITS).expect("no mistakes");
        Outlook::of(&loaded.experiment, &Plan::of(&loaded.experiment))
    }

    #[test]
    fn a_person_sees_the_plan() {
        insta::assert_snapshot!(page(&outlook("experiments/paste.toml")));
    }

    #[test]
    fn a_script_sees_the_plan() {
        let text = pretty(&outlook("experiments/paste.toml")).expect("JSON");
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(document["experiment"], "paste");
        assert_eq!(document["trials"], 500);
        assert_eq!(document["repetitions"], 5);
        assert_eq!(document["cores"], json!([8]));
        assert_eq!(document["smallest_p"], 0.0625);
        assert_eq!(document["smallest_p_by_subject"]["mina"], 0.0625);
        assert_eq!((&document["warmup"], &document["screening"]), (&json!(0), &json!(250)));
        assert_eq!(document["subjects"][2]["name"], "avro");
        assert_eq!(document["configurations"][1]["technique"], "paste");
        assert!(document["warnings"][0].as_str().is_some_and(|warning| warning.contains("never reach p < 0.05")));
    }

    /// Model suites and a folder, one experiment each or both in one.
    fn with_subjects(subjects: &str) -> Outlook {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("suite.toml"), "[[test]]\nid = 'A#t'\nseconds = 1\n").expect("a suite");
        std::fs::write(folder.path().join("pom.xml"), "<project/>").expect("a pom");
        std::fs::create_dir(folder.path().join("py")).expect("a folder");
        std::fs::write(folder.path().join("py/pytest.ini"), "[pytest]\n").expect("settings of pytest");
        let text = format!(
            "[experiment]\nname = 'x'\nrepetitions = 6\n{subjects}[[configuration]]\nname = 'sequential'\n\
             [[configuration]]\nname = 'paste'\ntechnique = 'paste'\nparallel = 'classes'\nthreads = 2\nrerun_engine = 'direct'\n\
             [[configuration]]\nname = 'both'\ntechnique = 'parallel'\nparallel = 'classesAndMethods'\nthreads = 2\n"
        );
        let file = folder.path().join("experiment.toml");
        std::fs::write(&file, text).expect("a file");
        outlook(file.to_str().expect("UTF-8"))
    }

    const MODEL: &str = "[[subject]]\nname = 'model'\nmodel = 'suite.toml'\n";

    #[test]
    fn model_suites_take_no_time_and_run_on_the_model() {
        let models = with_subjects(MODEL);
        assert_eq!(models.at_most_seconds, 0);
        let told = page(&models);
        assert!(told.contains("the times of model suites are computed; nothing is measured"), "{told}");
        assert!(!told.contains("surefire") && !told.contains("direct") && !told.contains("at most"), "{told}");
        assert!(!told.contains("JUnit") && !told.contains("JVM") && !told.contains("pom"), "{told}");
        let document = serde_json::to_value(&models).expect("JSON");
        assert_eq!(document["configurations"][0]["harness"]["engine"], "model");
        assert_eq!(document["subjects"][0]["model"], true);
    }

    #[test]
    fn a_study_of_orders_has_no_power_to_tell() {
        let folder = tempfile::tempdir().expect("a folder");
        let suite = "[[test]]\nid = 'A#t'\nseconds = 1\ncovers = ['A.java:1']\n";
        std::fs::write(folder.path().join("suite.toml"), suite).expect("a suite");
        let text = format!("[experiment]\nname = 'x'\n{MODEL}[[configuration]]\nname = 'T1'\ntechnique = 'T1'\n");
        let file = folder.path().join("experiment.toml");
        std::fs::write(&file, text).expect("a file");
        let told = page(&outlook(file.to_str().expect("UTF-8")));
        assert!(!told.contains("power") && !told.contains("smallest possible p"), "{told}");
        assert!(page(&with_subjects(MODEL)).contains("  power   smallest possible p"));
    }

    #[test]
    fn a_plan_with_some_model_suites_says_which_engine_runs_what() {
        let folder = "[[subject]]\nname = 'folder'\npath = '.'\n";
        let (both, alone) = (with_subjects(&format!("{MODEL}{folder}")), with_subjects(folder));
        assert_eq!(both.at_most_seconds, alone.at_most_seconds);
        let told = page(&both);
        assert!(told.contains("surefire, reruns direct; model for model suites"), "{told}");
        assert!(told.contains("at most") && told.contains("model suites are computed, which takes seconds"), "{told}");
        assert!(!page(&alone).contains("model"), "{}", page(&alone));
    }

    /// No Maven, no JVM and no JUnit are said of a pytest project.
    #[test]
    fn pytest_projects_run_on_pytest_in_processes() {
        let pytest = "[[subject]]\nname = 'py'\npath = 'py'\n";
        let told = page(&with_subjects(pytest));
        for word in ["surefire", "direct", "JVM", "JUnit", "thread in", "pom"] {
            assert!(!told.contains(word), "{word}: {told}");
        }
        assert!(told.contains("pytest") && told.contains("2 processes at the same time"), "{told}");
        let folder = "[[subject]]\nname = 'folder'\npath = '.'\n";
        let mixed = page(&with_subjects(&format!("{MODEL}{pytest}{folder}")));
        let engines = "surefire, reruns direct; model for model suites; pytest for pytest projects";
        assert!(mixed.contains(engines) && mixed.contains("JUnit 4 uses some threads"), "{mixed}");
    }

    #[test]
    fn a_part_of_the_plan_is_told_as_that_part() {
        let loaded = experiment::load(Path::new("experiments/paste.toml"), &LIMITS).expect("no mistakes");
        let (loaded, plan) = loaded.planned(false, &["subject=mina,configuration=classes"]).expect("trials");
        let part = Outlook::of(&loaded.experiment, &plan);
        assert_eq!((part.trials, part.screening, part.subjects.len()), (5, 10, 1));
        assert_eq!(part.subjects[0].configurations, ["classes"]);
        let hours = 2 + 10 * 3 + 5 * 3;
        assert_eq!(part.at_most_seconds, hours * 3600);
        let (loaded, plan) = loaded.planned(true, &["subject=mina"]).expect("trials");
        let quick = Outlook::of(&loaded.experiment, &plan);
        assert_eq!((quick.trials, quick.screening, quick.repetitions), (4, 0, 1));
    }

    #[test]
    fn a_script_sees_the_mistakes() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("wrong.toml");
        std::fs::write(&file, "[experiment]\nname = 1\n").expect("a file");
        let document = mistakes_document(&experiment::load(&file, &LIMITS).expect_err("mistakes"));
        let last = &document["mistakes"][2];
        assert_eq!((&last["line"], &last["column"]), (&json!(2), &json!(8)));
        assert_eq!(last["message"], "`name` must be text, but is the number `1`");
        assert_eq!(last["help"], "put it between double quotes, e.g. `name = \"my-experiment\"`");
    }

    #[test]
    fn mistakes_exit_with_2() {
        let options = |json| CheckOptions { file: "no/such/file.toml".into(), quick: false, only: vec![], json };
        let code = run(&options(true)).expect("mistakes are what was asked for");
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(2)));
        // For a person they are an error, and `main` gives this one the same code.
        assert!(run(&options(false)).expect_err("mistakes").is::<Mistakes>());
    }
}
