//! Plans and the identities of their trials.

use std::collections::BTreeSet;

use super::*;

const TWO_BY_TWO: &str = r#"
[experiment]
name = "golden"
repetitions = 2
seed = 2021
[machine]
cores = [1, 2]
[[subject]]
name = "a"
path = "."
[[subject]]
name = "b"
path = "validate"
repetitions = 1
[[configuration]]
name = "sequential"
[[configuration]]
name = "classes"
parallel = "classes"
threads = 2
"#;

fn ids(text: &str) -> Vec<String> {
    Plan::of(&accepted(text)).trials.into_iter().map(|trial| trial.id).collect()
}

fn id_set(text: &str) -> BTreeSet<String> {
    ids(text).into_iter().collect()
}

#[test]
fn a_plan_is_the_same_on_every_machine() {
    insta::assert_snapshot!(ids(TWO_BY_TWO).join("\n"));
}

#[test]
fn a_block_holds_every_cell_once() {
    let plan = Plan::of(&accepted(TWO_BY_TWO));
    let repetitions: Vec<_> = plan.trials.iter().map(|trial| trial.repetition).collect();
    assert!(repetitions.is_sorted());
    let cells = |block, subject| {
        let trials = plan.trials.iter().filter(|trial| trial.repetition == block && trial.subject == subject);
        trials.map(|trial| (&trial.configuration, trial.cores)).collect::<BTreeSet<_>>().len()
    };
    assert_eq!([cells(1, "a"), cells(1, "b"), cells(2, "a"), cells(2, "b")], [4, 4, 4, 0]);
    assert_eq!(plan.trials.len(), 12);
}

#[test]
fn an_added_repetition_leaves_the_others_alone() {
    let two = ids(TWO_BY_TWO);
    let three = ids(&TWO_BY_TWO.replace("repetitions = 2", "repetitions = 3"));
    assert_eq!(three[..two.len()], two[..]);
    assert_eq!(three.len(), two.len() + 4);
}

#[test]
fn what_cannot_change_a_result_changes_no_identity() {
    let original = id_set(TWO_BY_TWO);
    for (from, to) in [
        ("\"golden\"", "\"renamed\""),
        ("seed = 2021", "seed = 7"),
        ("seed = 2021", "warmup = 1\nscreening = 10"),
        ("[machine]", "[machine]\nbuild_timeout = \"2h\""),
        // Said aloud, what holds anyway.
        ("parallel = \"classes\"", "parallel = \"classes\"\nengine = \"surefire\""),
    ] {
        assert_eq!(id_set(&TWO_BY_TWO.replace(from, to)), original, "{to}");
    }
    let more = format!("{TWO_BY_TWO}[[configuration]]\nname = \"project\"\nparallel = \"project\"\n");
    assert!(id_set(&more).is_superset(&original));
}

#[test]
fn the_seed_changes_the_order_alone() {
    let other = TWO_BY_TWO.replace("seed = 2021", "seed = 2022");
    assert_ne!(ids(&other), ids(TWO_BY_TWO));
    assert_eq!(id_set(&other), id_set(TWO_BY_TWO));
}

#[test]
fn every_setting_of_a_subject_counts() {
    let subject = |lines: &str| {
        let text = with_subject(lines);
        Plan::of(&accepted(&text)).trials[0].id.clone()
    };
    let variants = [
        "",
        "commit = \"c1ee777\"",
        "commit = \"c1ee778\"",
        "directory = \"tests\"",
        "modules = [\"a\", \"b\"]",
        "modules = [\"a\"]",
        "maven_args = [\"-Da\", \"-Db\"]",
        "maven_args = [\"-Da-Db\"]",
        "environment = { A = \"B\" }",
        "environment = { A = \"C\" }",
        "phase = \"verify\"",
        "setup = [[\"make\"], [\"x\"]]",
        "setup = [[\"make\", \"x\"]]",
        "surefire = \"project\"",
        "surefire = \"2.22.2\"",
        "disable_plugins = [\"a:b\"]",
        "timeout = \"2h\"",
        "dependencies = \"mod.rs\"",
        "dependencies = \"tests/mod.rs\"",
        "[subject.override.sequential]\nreuse_forks = false",
        "[subject.override.sequential]\ntimeout = \"3h\"",
        "jdk = \"8\"",
        "jdk = \"17\"",
        "jdk = \"17.0\"",
        "user = \"nobody\"",
        "[machine]\nmemory = \"8GiB\"",
        "[machine]\ntimeout = \"4h\"",
        "[machine]\ncores = 2",
    ];
    let distinct: BTreeSet<_> = variants.iter().map(|lines| subject(lines)).collect();
    assert_eq!(distinct.len(), variants.len(), "{distinct:#?}");
}

#[test]
fn every_setting_of_a_configuration_counts() {
    let variants = [
        "parallel = \"classes\"\nthreads = 2",
        "parallel = \"methods\"\nthreads = 2",
        "parallel = \"classes\"\nthreads = 3",
        "parallel = \"classes\"\nthreads = 2\nthreads_per_core = true",
        "parallel = \"classes\"\nthreads = 2\nforks = 2",
        "parallel = \"classes\"\nthreads = 2\nforks = \"1C\"",
        "parallel = \"classes\"\nthreads = 2\nreuse_forks = false",
        "parallel = \"classes\"\nthreads = 2\ntechnique = \"paste\"",
        "parallel = \"classes\"\nthreads = 2\ntechnique = \"paste\"\nrerun_engine = \"direct\"",
        "parallel = \"classes\"\nthreads = 2\ntechnique = \"paste\"\nengine = \"direct\"",
        "parallel = \"classes\"\nthreads = 2\ntechnique = \"paste\"\nengine = \"direct\"\nrerun_engine = \"surefire\"",
        "parallel = \"classes\"\nthreads = 2\nengine = \"direct\"",
        "parallel = \"classes\"\nthreads = 2\nengine = \"direct\"\nisolation = \"warm\"",
        "parallel = \"classes\"\nthreads = 2\nengine = \"direct\"\ntest_timeout = \"30s\"",
        "parallel = \"classes\"\nthreads = 2\nengine = \"direct\"\ntest_timeout = \"31s\"",
        "parallel = \"classes\"\nthreads = 2\nmodules = 2",
        "parallel = \"classes\"\nthreads = 2\nmodules = \"1C\"",
        "modules = 2",
    ];
    let second = |lines: &str| {
        let plan = Plan::of(&accepted(&with_configuration(lines)));
        plan.trials.into_iter().find(|trial| trial.configuration == "second").map(|trial| trial.id)
    };
    let distinct: BTreeSet<_> = variants.iter().map(|lines| second(lines)).collect();
    assert_eq!(distinct.len(), variants.len(), "{distinct:#?}");
}

#[test]
fn another_configurations_override_changes_nothing_here() {
    let configurations = "[[configuration]]\nname = \"fast\"\nparallel = \"classes\"\nthreads = 2\n";
    let plain = id_set(&with_subject(configurations));
    let changed = id_set(&with_subject(&format!("[subject.override.fast]\nthreads = 4\n{configurations}")));
    let kept: Vec<_> = plain.intersection(&changed).collect();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].starts_with("here.sequential.c4.r1-"), "{kept:?}");
}

#[test]
fn a_quick_run_is_a_part_of_the_whole() {
    let experiment = accepted(&TWO_BY_TWO.replace("seed = 2021", "seed = 1\nwarmup = 2\nscreening = 3"));
    let quick = experiment.quick();
    let all: BTreeSet<_> = Plan::of(&experiment).trials.into_iter().map(|trial| trial.id).collect();
    let few = Plan::of(&quick).trials;
    assert_eq!(few.len(), 4);
    assert!(few.iter().all(|trial| trial.cores == 2 && trial.repetition == 1 && all.contains(&trial.id)));
    assert_eq!((quick.warmup, quick.screening), (0, 0));
}
