//! What the names of configurations, modes and algorithms mean, for readers who meet them in a table.

use crate::engine::{EngineKind, Forks, Mode, Parallelism};
use crate::report::Analysis;
use crate::report::analysis::TestPlatform;
use crate::shown_text::shown;
use crate::store::record::ConfigurationSummary;
use crate::suite::Unit;
use crate::technique::algorithm::{Algorithm, Family, Ranking};
use crate::technique::{Harness, TechniqueKind};
use crate::wording::{counted, plural};

/// A line for each configuration: `classes: PASTE …`.
pub fn lines(analysis: &Analysis) -> Vec<String> {
    let all = analysis.run.manifest.configurations.iter();
    all.map(|each| format!("{}: {}.", shown(&each.name), explained(each, analysis.run.platform(&each.name)))).collect()
}

/// What a configuration does: `PASTE (…): test classes run at the same time, 7 threads in each fork (JVM), one per core`.
pub fn explained(summary: &ConfigurationSummary, platform: TestPlatform) -> String {
    let technique = match summary.technique {
        TechniqueKind::Sequential => "one test after the other",
        TechniqueKind::Parallel => "one parallel run",
        TechniqueKind::Paste => "PASTE (a parallel run, then failed tests alone, then their classes)",
        TechniqueKind::SoundRerun => "a parallel run, then failed tests after all that they depend on",
        TechniqueKind::Ordered(_) => return ordered(summary),
    };
    let engines = if platform.may_be_java() { engines(summary) } else { None };
    let parts = [Some(technique.to_owned()), parallelism(summary, platform), modules(summary), engines];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn parallelism(summary: &ConfigurationSummary, platform: TestPlatform) -> Option<String> {
    let parallelism = &summary.parallelism;
    let what = match (summary.technique, parallelism.mode) {
        (TechniqueKind::Sequential, _) | (_, Mode::Sequential) => return None,
        (_, Mode::Project) => {
            let settings = if platform == TestPlatform::Java { "own pom says" } else { "own settings say" };
            return Some(format!("parallel as the project's {settings} (`project`)"));
        }
        (_, Mode::Methods | Mode::ClassesAndMethods) if platform == TestPlatform::Pytest => {
            return Some(format!("tests run at the same time, in {}", workers(parallelism)));
        }
        (_, Mode::Classes) if platform == TestPlatform::Pytest => {
            return Some(format!("test classes run at the same time, in {}", workers(parallelism)));
        }
        (_, Mode::Methods) => "test methods of a class run at the same time",
        (_, Mode::Classes) => "test classes run at the same time",
        (_, Mode::ClassesAndMethods) => "test classes and their methods run at the same time",
    };
    let per_core = if parallelism.threads_per_core { " per core" } else { "" };
    let threads = plural(parallelism.threads as usize, "thread");
    Some(format!("{what}, {threads}{per_core} in {}", forks(parallelism.forks, platform)))
}

/// Processes that run tests: `each of 2 forks (JVMs)`.
fn forks(forks: Forks, platform: TestPlatform) -> String {
    let (one, several) = if platform == TestPlatform::Java { ("JVM", "JVMs") } else { ("process", "processes") };
    match forks {
        Forks::Count(0 | 1) => format!("one fork ({one})"),
        Forks::Count(count) => format!("each of {count} forks ({several})"),
        Forks::PerCore(1.0) => format!("each fork ({one}), one per core"),
        Forks::PerCore(factor) => format!("each fork ({one}), {factor} per core"),
    }
}

/// pytest has no threads: each thread that a configuration asks for is a worker process.
fn workers(parallelism: &Parallelism) -> String {
    let threads = parallelism.threads.max(1);
    match (parallelism.forks, parallelism.threads_per_core) {
        (Forks::Count(forks), false) => {
            counted((threads * forks.max(1)) as usize, "worker process", "worker processes")
        }
        (Forks::Count(forks), true) => format!("worker processes, {} per core", threads * forks.max(1)),
        (Forks::PerCore(factor), false) => format!("worker processes, {} per core", factor * f64::from(threads)),
        (Forks::PerCore(_), true) => "worker processes, several per core".to_owned(),
    }
}

fn modules(summary: &ConfigurationSummary) -> Option<String> {
    summary.parallelism.modules.map(|modules| format!("modules of the build at once: {modules}"))
}

/// What runs it, where that is not Surefire alone.
fn engines(summary: &ConfigurationSummary) -> Option<String> {
    let Harness { engine, rerun_engine, .. } = summary.harness;
    let reruns =
        (summary.technique.reruns() && rerun_engine != engine).then(|| format!("reruns {}", rerun_engine.in_words()));
    let main = (engine != EngineKind::default()).then(|| engine.in_words().to_owned());
    let parts: Vec<String> = [main, reruns].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `T2: statement coverage, most additional first; enhanced by dependencies`.
fn ordered(summary: &ConfigurationSummary) -> String {
    let Some(ordering) = summary.ordering else { return format!("the order of {}", summary.technique) };
    let enhanced = if ordering.enhanced { ", enhanced by dependencies" } else { "" };
    let what = algorithm(ordering.algorithm);
    if ordering.algorithm.is_parallel() {
        let machines = plural(ordering.machines as usize, "machine");
        format!("{machines}, {what} ({}{enhanced})", ordering.algorithm)
    } else {
        format!("{what} ({}{enhanced})", ordering.algorithm)
    }
}

fn algorithm(algorithm: Algorithm) -> String {
    let ranked = |ranking| match ranking {
        Ranking::Total => "highest coverage first",
        Ranking::Additional => "highest additional coverage first",
    };
    match algorithm.family() {
        Family::Prioritization(unit, ranking) => {
            format!("all tests by {} coverage, {}", covered(unit), ranked(ranking))
        }
        Family::Selection(unit, None) => {
            format!("tests that a change affects by {} coverage, in the original order", covered(unit))
        }
        Family::Selection(unit, Some(ranking)) => {
            format!("tests that a change affects by {} coverage, {}", covered(unit), ranked(ranking))
        }
        Family::Parallelization => match algorithm {
            Algorithm::P1 => "tests distributed in turn",
            Algorithm::P2 => "the longest tests first, each to the machine that is done earliest",
            _ => "tests placed by time, together with the tests that they depend on",
        }
        .to_owned(),
    }
}

fn covered(unit: Unit) -> &'static str {
    match unit {
        Unit::Statement => "statement",
        Unit::Method => "method",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn names_are_explained_with_threads_and_forks() {
        let text = lines(sample::studied()).join("\n");
        assert!(text.starts_with("sequential: one test after the other.\nclasses: PASTE (a parallel run"), "{text}");
        assert!(
            text.contains("test methods of a class run at the same time, 7 threads in each fork (JVM), one per core")
        );
        let mut project = sample::study().manifest.configurations[3].clone();
        project.parallelism = Parallelism { mode: Mode::Project, ..project.parallelism };
        assert!(explained(&project, TestPlatform::Java).contains("as the project's own pom says"));
    }

    /// Nothing is said about JVMs where tests ran in no JVM.
    #[test]
    fn the_words_are_those_of_the_platform_that_ran_the_tests() {
        use TestPlatform::{Java, Mixed, Model, Pytest};
        let mut paste = sample::study().manifest.configurations[1].clone();
        paste.parallelism = Parallelism { threads: 2, forks: Forks::Count(1), ..paste.parallelism };
        paste.harness.rerun_engine = EngineKind::Direct;
        let told = |platform| explained(&paste, platform);
        assert!(told(Java).contains("2 threads in one fork (JVM)") && told(Java).contains("reruns in JVMs"));
        assert!(told(Pytest).contains("in 2 worker processes") && !told(Pytest).contains("thread"), "{}", told(Pytest));
        for platform in [Pytest, Model] {
            assert!(!told(platform).contains("JVM"), "{}", told(platform));
        }
        assert!(told(Mixed).contains("one fork (process)"), "{}", told(Mixed));
        let of = |engines: &[EngineKind]| TestPlatform::of(engines.iter().copied());
        assert_eq!(of(&[]), Java);
        assert_eq!(of(&[EngineKind::Surefire, EngineKind::Direct]), Java);
        assert_eq!(of(&[EngineKind::Pytest, EngineKind::Model]), Mixed);
        assert_eq!(of(&[EngineKind::Pytest]), Pytest);
    }

    #[test]
    fn every_algorithm_is_explained() {
        for each in Algorithm::ALL {
            assert!(algorithm(each).len() > 10, "{each}");
        }
    }
}
