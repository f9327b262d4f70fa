//! What right files become.

use std::time::Duration;

use super::*;
use crate::engine::{EngineKind, Forks, ProcessPolicy, Isolation, Mode, Parallelism};

#[test]
fn the_shortest_file_gets_the_documented_defaults() {
    let experiment = accepted(&with_header(""));
    assert_eq!((experiment.repetitions, experiment.warmup, experiment.screening, experiment.seed), (1, 0, 0, 0));
    assert_eq!(experiment.machine.cores, [4]);
    assert_eq!(experiment.machine.memory_bytes, None);
    assert_eq!(experiment.machine.timeout, Duration::from_secs(3600));
    assert_eq!(experiment.machine.build_timeout, Duration::from_secs(3600));
    assert_eq!(experiment.baseline, "sequential");
    assert_eq!(experiment.configurations[0].parallelism, Parallelism::SEQUENTIAL);
    let subject = &experiment.subjects[0];
    assert_eq!((subject.phase.as_str(), &subject.surefire), ("test", &SurefireVersion::Pinned));
    assert_eq!(subject.source, ".");
    assert!(
        matches!(&subject.origin, Origin::Folder { path } if path.ends_with("run/experiment") && path.is_absolute())
    );
}

#[test]
fn subjects_stand_on_the_defaults() {
    let experiment = accepted(
        r#"
        [experiment]
        name = "defaults"
        repetitions = 6
        [machine]
        cores = ["all", 1, 4, 2]
        memory = "2GB"
        timeout = "3h"
        [defaults]
        maven_args = ["-Drat.skip=true"]
        environment = { TZ = "UTC", LANG = "C" }
        phase = "verify"
        surefire = "project"
        timeout = "2h"
        [[subject]]
        name = "own"
        path = "."
        commit = "v1"
        directory = "java"
        modules = ["core", "web/api"]
        maven_args = ["-q"]
        environment = { LANG = "de" }
        phase = "package"
        setup = [["make", "all"]]
        surefire = "2.22.2"
        disable_plugins = ["g:a"]
        timeout = "1h30m"
        repetitions = 2
        configurations = ["sequential", "wide"]
        [subject.override.wide]
        threads = 3
        forks = 2
        timeout = "10m"
        [[subject]]
        name = "plain"
        git = "git@example.org:team/project.git"
        commit = "c1ee777"
        [[configuration]]
        name = "sequential"
        [[configuration]]
        name = "wide"
        technique = "paste"
        parallel = "classesAndMethods"
        threads = 7
        threads_per_core = true
        forks = "0.5C"
        reuse_forks = false
        [[configuration]]
        name = "own-settings"
        parallel = "project"
        "#,
    );
    assert_eq!(experiment.machine.cores, [1, 2, 4]);
    assert_eq!(experiment.machine.memory_bytes, Some(2_000_000_000));
    let [own, plain] = &experiment.subjects[..] else { panic!("two subjects") };
    assert_eq!(own.maven_args, ["-Drat.skip=true", "-q"]);
    assert_eq!(own.environment["TZ"], "UTC");
    assert_eq!(own.environment["LANG"], "de");
    assert_eq!((own.phase.as_str(), plain.phase.as_str()), ("package", "verify"));
    assert_eq!(own.surefire, SurefireVersion::Exactly("2.22.2".to_owned()));
    assert_eq!(plain.surefire, SurefireVersion::Project);
    assert!(
        matches!(&own.origin, Origin::Git { url, revision } if url.ends_with("run/experiment") && revision == "v1")
    );
    assert!(matches!(&plain.origin, Origin::Git { url, .. } if url == "git@example.org:team/project.git"));
    assert_eq!((own.repetitions, plain.repetitions), (2, 6));

    let [sequential, wide, project] = &experiment.configurations[..] else { panic!("three configurations") };
    assert_eq!(project.technique, TechniqueKind::Parallel);
    assert_eq!(project.parallelism.mode, Mode::Project);
    let limit = |subject, configuration| experiment.time_limit(subject, configuration).as_secs() / 60;
    assert_eq!([limit(own, sequential), limit(own, wide), limit(plain, wide)], [90, 10, 120]);
    let there = experiment.parallelism(plain, wide);
    assert_eq!((there.threads, there.forks, there.threads_per_core), (7, Forks::PerCore(0.5), true));
    let here = experiment.parallelism(own, wide);
    assert_eq!((here.threads, here.forks, here.reuse_forks), (3, Forks::Count(2), false));
    assert_eq!(Plan::of(&experiment).trials.len(), 2 * 2 * 3 + 6 * 3 * 3);
}

#[test]
fn warnings_say_what_is_allowed_but_odd() {
    let experiment = accepted(
        r#"
        [experiment]
        name = "odd"
        repetitions = 5
        [[subject]]
        name = "a"
        git = "https://me:secret@example.org/a.git"
        commit = "main"
        [[subject]]
        name = "b"
        path = "."
        repetitions = 6
        configurations = ["classes", "both"]
        [[configuration]]
        name = "sequential"
        [[configuration]]
        name = "classes"
        technique = "paste"
        parallel = "classes"
        threads = 7
        threads_per_core = true
        forks = "1C"
        [[configuration]]
        name = "both"
        parallel = "classesAndMethods"
        threads = 2
        [[configuration]]
        name = "again"
        parallel = "classesAndMethods"
        threads = 2
        "#,
    );
    let outlook = Outlook::of(&experiment, &Plan::of(&experiment));
    insta::assert_snapshot!(outlook.warnings.join("\n"));
    assert_eq!(outlook.smallest_p, 0.0625);
    assert_eq!(outlook.smallest_p_by_subject["b"], 0.03125);
    assert_eq!(outlook.subjects[0].source, "https://***@example.org/a.git");
}

#[test]
fn engines_are_chosen_and_limited_per_subject() {
    let experiment = accepted(
        r#"
        [experiment]
        name = "engines"
        repetitions = 6
        screening = 1
        [[subject]]
        name = "a"
        path = "."
        [subject.override.fast]
        test_timeout = "90s"
        modules = 3
        [[configuration]]
        name = "sequential"
        [[configuration]]
        name = "fast"
        technique = "paste"
        parallel = "classes"
        threads = 2
        rerun_engine = "direct"
        test_timeout = "30s"
        [[configuration]]
        name = "direct"
        technique = "paste"
        parallel = "classes"
        threads = 2
        engine = "direct"
        isolation = "warm"
        [[configuration]]
        name = "modules"
        modules = "1C"
        "#,
    );
    let [sequential, fast, direct, modules] = &experiment.configurations[..] else { panic!("four") };
    let (subject, limit) = (&experiment.subjects[0], Some(Duration::from_secs(90)));
    let harness = experiment.harness(subject, fast);
    assert_eq!((harness.engine, harness.rerun_engine), (EngineKind::Surefire, EngineKind::Direct));
    // The whole suite runs as it always does; what is rerun may start quickly, and be cut off.
    assert_eq!(harness.policy(), ProcessPolicy::default());
    let rerun = ProcessPolicy { test_limit: limit, quick_start: true, ..ProcessPolicy::default() };
    assert_eq!(harness.rerun_policy(), rerun);
    assert_eq!(direct.harness.rerun_engine, EngineKind::Direct);
    assert_eq!(direct.harness.policy(), ProcessPolicy { isolation: Isolation::Warm, ..ProcessPolicy::default() });
    assert_eq!((modules.technique, modules.parallelism.mode), (TechniqueKind::Parallel, Mode::Sequential));
    assert_eq!(experiment.parallelism(subject, fast).modules_on(4), 3);
    assert_eq!([sequential, modules].map(|each| each.parallelism.modules_on(4)), [1, 4]);
    assert!(experiment.needs_engine(subject, EngineKind::Direct));
    let warnings = Outlook::of(&experiment, &Plan::of(&experiment)).warnings;
    assert_eq!(
        warnings.iter().filter(|warning| warning.contains("difference between the engines")).count(),
        2,
        "{warnings:#?}"
    );
    assert!(warnings.iter().any(|warning| warning.contains("warm JVM")));
}

#[test]
fn a_sound_plan_has_no_warnings() {
    let experiment = accepted(&with_header("repetitions = 6\nscreening = 3"));
    assert_eq!(Outlook::of(&experiment, &Plan::of(&experiment)).warnings, Vec::<String>::new());
}

#[test]
fn the_paste_study_is_an_experiment() {
    let loaded = load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/paste.toml")), &LIMITS)
        .unwrap_or_else(|mistakes| panic!("{:?}", miette::Report::new(mistakes)));
    let experiment = loaded.experiment;
    let plan = Plan::of(&experiment);
    assert_eq!((experiment.subjects.len(), experiment.configurations.len()), (25, 4));
    assert_eq!((experiment.repetitions, experiment.screening), (5, 10));
    assert_eq!(experiment.machine.cores, [LIMITS.cores]);
    assert_eq!(plan.trials.len(), 25 * 4 * 5);
    for configuration in &experiment.configurations[1..] {
        let Parallelism { threads, threads_per_core, forks, reuse_forks, .. } = configuration.parallelism;
        assert_eq!(configuration.technique, TechniqueKind::Paste);
        assert_eq!((threads, threads_per_core, forks, reuse_forks), (7, true, Forks::PerCore(1.0), true));
    }
    let hashes = experiment.subjects.iter().map(|subject| match &subject.origin {
        Origin::Git { url, revision } if url.starts_with("https://github.com/") => revision.len(),
        other => panic!("{other:?}"),
    });
    assert!(hashes.into_iter().all(|length| length == 7));
}
