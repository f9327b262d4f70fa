//! Orders of algorithms, versions and generators: what becomes of them, and what is refused.

use super::*;
use crate::engine::EngineKind;
use crate::technique::Ordering;
use crate::technique::algorithm::Algorithm;

const GIT: &str = "[[subject]]\nname = \"repo\"\ngit = \"https://example.org/x\"\ncommit = \"c1ee777\"\n";

fn with_git(lines: &str, configurations: &str) -> String {
    let lines = if lines.is_empty() { String::new() } else { format!("{lines}\n") };
    format!("{HEADER}{GIT}{lines}{configurations}")
}

fn configuration(technique: &str, lines: &str) -> String {
    format!("[[configuration]]\nname = \"{technique}\"\ntechnique = \"{technique}\"\n{lines}\n")
}

/// The messages with their lines.
fn told(text: &str) -> Vec<String> {
    let mistakes = read(text).expect_err(text);
    mistakes.entries().iter().map(|mistake| format!("{}: {}", mistake.line.unwrap_or(0), mistake.message)).collect()
}

fn names(plan: &Plan) -> Vec<String> {
    let mut cells: Vec<String> =
        plan.trials.iter().map(|trial| format!("{}.{}", trial.subject, trial.configuration)).collect();
    cells.sort();
    cells.dedup();
    cells
}

#[test]
fn an_algorithm_is_a_technique_on_an_engine_that_keeps_orders() {
    let all = configuration("T2", "enhanced = true") + &configuration("P2", "machines = 4") + &configuration("P3", "");
    let experiment = accepted(&with_git("", &all));
    let orderings: Vec<_> = experiment.configurations.iter().filter_map(|each| each.ordering).collect();
    let ordering = |algorithm, enhanced, machines| Ordering { algorithm, enhanced, machines };
    assert_eq!(
        orderings,
        [ordering(Algorithm::T2, true, 1), ordering(Algorithm::P2, false, 4), ordering(Algorithm::P3, false, 2)]
    );
    assert!(experiment.configurations.iter().all(|each| each.harness.engine == EngineKind::Direct));
    assert_eq!(experiment.baseline, "", "orders are compared with each other");
}

#[test]
fn listed_versions_become_subjects_and_each_runs_what_is_evaluated_there() {
    let all = configuration("T1", "") + &configuration("S1", "") + SEQUENTIAL;
    let all = all + "[[configuration]]\nname = \"wide\"\nparallel = \"classes\"\nthreads = 2\n";
    let experiment = accepted(&with_git("versions = [\"aaaaaaa\", \"bbbbbbb\"]\nlabel = \"M9\"", &all));
    let versions: Vec<_> = experiment.subjects.iter().map(|each| (each.name.as_str(), &each.origin)).collect();
    let at = |revision: &str| Origin::Git { url: "https://example.org/x".to_owned(), revision: revision.to_owned() };
    assert_eq!(versions, [("repo.v01", &at("aaaaaaa")), ("repo.v02", &at("bbbbbbb")), ("repo.v03", &at("c1ee777"))]);
    assert!(experiment.subjects.iter().all(|each| each.family() == "repo" && each.label.as_deref() == Some("M9")));
    assert_eq!(
        names(&Plan::of(&experiment)),
        ["repo.v02.S1", "repo.v02.T1", "repo.v02.sequential", "repo.v03.S1", "repo.v03.sequential", "repo.v03.wide"]
    );
}

#[test]
fn versions_that_are_sought_are_planned_as_if_they_were_found() {
    let experiment = accepted(&with_git("versions = 3", &configuration("T1", "")));
    assert_eq!((experiment.subjects.len(), experiment.subjects[0].earlier), (1, Some(3)));
    let assumed = experiment.with_assumed_versions();
    assert_eq!(names(&Plan::of(&assumed)), ["repo.v02.T1"]);
    assert_eq!(assumed.subjects.len(), 4);
    let found = experiment.with_versions("repo", &["aaaaaaa".to_owned()]);
    assert_eq!(found.subjects.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(), ["repo.v01", "repo.v02"]);
    let none = experiment.with_versions("repo", &[]);
    assert_eq!(names(&Plan::of(&none)), ["repo.v01.T1"], "orders of all tests do with one version");
}

#[test]
fn what_makes_another_order_makes_another_trial() {
    let id = |versions: &str, lines: &str| {
        let experiment = accepted(&with_git(versions, &configuration("P2", lines)));
        Plan::of(&experiment).trials.last().map(|trial| trial.id.clone())
    };
    let plain = id("", "");
    assert_eq!(plain, id("", "machines = 2"));
    assert_ne!(plain, id("", "machines = 3"));
    assert_ne!(plain, id("", "enhanced = true"));
    assert_ne!(id("versions = [\"aaaaaaa\"]", ""), id("versions = [\"bbbbbbb\"]", ""), "another first version");
}

#[test]
fn a_part_of_the_plan_is_picked_by_the_subject_or_by_a_version() {
    let experiment = accepted(&with_git("versions = [\"aaaaaaa\", \"bbbbbbb\"]", &configuration("S1", "")));
    let plan = Plan::of(&experiment);
    let picked = |only: &str| Filter::parse(&[only]).and_then(|filter| filter.apply(&plan)).map(|plan| names(&plan));
    assert_eq!(picked("subject=repo").unwrap().len(), 2);
    assert_eq!(picked("subject=repo.v03").unwrap(), ["repo.v03.S1"]);
    assert!(picked("subject=rep").is_err());
    let filter = Filter::parse(&["subject=other"]).unwrap();
    assert!(!filter.may_want("repo") && filter.may_want("other"));
}

#[test]
fn a_generator_has_a_program_and_a_time_limit() {
    let generator = "[subject.generator]\ncommand = [\"java\", \"-jar\", \"r.jar\"]";
    let experiment = accepted(&with_git(generator, &configuration("T1", "")));
    let generator = experiment.subjects[0].generator.as_ref().unwrap();
    assert_eq!((generator.command.len(), generator.timeout.as_secs()), (3, 600));
}

#[test]
fn mistakes_are_told_with_their_places() {
    let sorted = |text: String| told(&text);
    let t1 = || configuration("T1", "");
    assert_eq!(
        sorted(with_git("", &configuration("T1", "machines = 2"))),
        ["10: `T1` gives one order for one machine"]
    );
    assert_eq!(sorted(with_git("", &configuration("P1", "machines = 0"))), ["10: `machines` cannot be 0"]);
    assert_eq!(
        sorted(with_git("", &configuration("T1", "engine = \"surefire\"\nthreads = 2\nisolation = \"warm\""))),
        [
            "10: the engine `surefire` cannot impose an order of tests",
            "11: `threads` has no meaning for an order: its tests run one after the other",
            "12: `isolation` has no meaning for the engine `surefire`",
            "12: an order is evaluated in fresh JVMs",
        ]
    );
    let paste = "[[configuration]]\nname = \"p\"\ntechnique = \"paste\"\nparallel = \"classes\"\nthreads = \
        2\nenhanced = true\n";
    assert_eq!(
        sorted(with_git("", &format!("{SEQUENTIAL}{paste}"))),
        ["14: `enhanced` has no meaning for the technique `paste`"]
    );
    assert_eq!(
        sorted(with_git("", &configuration("S1", ""))),
        ["4: the configuration `S1` selects tests by changes between versions"]
    );
    for (versions, message) in [
        ("versions = 0", "7: `versions` cannot be 0"),
        ("versions = []", "7: `versions` is empty"),
        ("versions = [\"c1ee777\"]", "7: `c1ee777` is a version already"),
        ("versions = [\"a..b\"]", "7: `a..b` cannot be a commit, tag or branch"),
        ("versions = \"ten\"", "7: `versions` must be a whole number, but is the text `ten`"),
        ("label = \"\"", "7: `` cannot be a label"),
        ("[subject.generator]\ncommand = []", "8: this generator has no program"),
        ("[subject.generator]\ntimeout = \"1m\"", "7: [subject.generator] has no `command`"),
        ("[regression]\ndependencies = \"magic\"", "8: dependencies cannot come from `magic`"),
    ] {
        assert_eq!(sorted(with_git(versions, &t1())), [message], "{versions}");
    }
    assert_eq!(
        sorted(format!("{HEADER}{SUBJECT}versions = 2\n{}", t1())),
        ["6: a folder without a commit has no versions"]
    );
    assert_eq!(sorted(with_git("versions = 2", SEQUENTIAL)), ["7: no configuration of this subject uses versions"]);
}

#[test]
fn a_model_has_to_say_what_algorithms_go_by() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let silent = write("silent.toml", "[[test]]\nid = 'C#a'\n");
    let covers = write("covers.toml", "[[test]]\nid = 'C#a'\ncovers = ['B.java:1']\n");
    let changed = write("changed.toml", "[changes]\nmodified = ['B.java:1']\n[[test]]\nid = 'C#a'\n");
    let with = |model: &str, lines: &str, technique: &str| {
        let subject = format!("[[subject]]\nname = \"m\"\nmodel = \"{model}\"\n{lines}\n");
        format!("{HEADER}{subject}{}", configuration(technique, ""))
    };
    let versions = format!("versions = [\"{covers}\"]");
    assert_eq!(
        told(&with(&silent, "", "T1")),
        ["4: `silent.toml` does not declare the coverage of its tests, which `T1` needs"]
    );
    assert_eq!(
        told(&with(&silent, &versions, "S1")),
        ["4: `silent.toml` does not declare changes, which `S1` needs to select tests"]
    );
    assert_eq!(
        told(&with(&covers, "versions = 2", "T1")),
        ["6: a model suite has no history in which versions could \
        be searched"]
    );
    accepted(&with(&changed, &versions, "S1"));
    accepted(&with(&silent, "", "P1"));
}
