//! What can be run, within which limits: the experiment holds everything that an assessment may come to. Which of its trials are
//! run is decided on the way ([`super::course`]).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::AssessmentRequest;
use super::parallel_mode::{ParallelMode, SEQUENTIAL};
use super::run_time_estimates::RunTimeEstimates;
use super::schedule::MOST_BLOCKS;
use super::survey::Survey;
use crate::experiment::format_duration;
use crate::spec::Origin;
use crate::store::record::TrialRecord;

/// Of what is left of the budget, for finding out why tests failed.
pub(super) const FOR_CAUSES: f64 = 0.2;
/// Of two ways that are forecast to be this close, the safer one is tried first.
const AS_PROMISING: f64 = 1.03;

/// The budget where nobody gives one: many runs, within bounds that people wait.
pub fn default_budget(first_run: f64) -> Duration {
    const SHORTEST: f64 = 300.0;
    const LONGEST: f64 = 3600.0;
    Duration::from_secs_f64((30.0 * first_run).clamp(SHORTEST, LONGEST).max(12.0 * first_run).min(86_400.0))
}

/// Runs after the first one without which nothing can be said: one test after the other, and a way.
pub fn least_runs(survey: &Survey) -> u32 {
    screening_runs(survey) + 2
}

/// What those take, in seconds.
pub(super) fn least_time(survey: &Survey, cores: usize) -> f64 {
    let taken = RunTimeEstimates::of(survey, cores, &[]);
    let way = by_promise(survey).first().map_or(0.0, |way| taken.next(way.name(), cores));
    f64::from(least_runs(survey) - 1) * survey.seconds + way
}

/// Runs that a firm answer takes: five pairs of the best mode, every other one once, and a single core.
pub(super) const FIRM_RUNS: u32 = 20;

/// A budget that suffices for a firm answer, where everything before the first run took so many seconds.
pub fn advised_budget(survey: &Survey, before: f64) -> Duration {
    Duration::from_secs_f64((before.max(0.0) + f64::from(FIRM_RUNS) * survey.seconds).clamp(10.0, 1e9).ceil())
}

/// Threads for each core: more where tests mostly wait. A run on a busy machine does not show that they do.
pub fn threads_per_core(survey: &Survey) -> u32 {
    match survey.computing_share() {
        Some(share) if share < 0.3 => 4,
        Some(share) if share < 0.6 => 2,
        _ => 1,
    }
}

/// Why there are so many, where it is not just one for each core.
pub fn threads_told(survey: &Survey) -> Option<String> {
    let threads = threads_per_core(survey);
    let share = survey.computing_share().filter(|_| threads > 1)?;
    let percent = share * 100.0;
    Some(format!(
        "the tests mostly wait: {percent:.0} % of their time in the first sequential run was CPU time. Modes with threads \
         therefore have {threads} threads per core"
    ))
}

/// Why it is one, where nobody can tell.
pub fn threads_unknown(survey: &Survey) -> Option<String> {
    let busy = match survey.load_during.filter(|cores| *cores > TrialRecord::BUSY_DURING) {
        Some(cores) => format!("other work kept {cores:.1} cores busy during the first sequential run"),
        None => "a limit of CPU time slowed down the first sequential run".to_owned(),
    };
    let unknown = "so parade cannot tell whether tests wait, and modes with threads have 1 thread per core";
    survey.is_disturbed().then(|| format!("{busy}, {unknown}"))
}

/// Sequential runs that only look for tests to set aside: what fails in every run is not to be run again in each of them.
pub fn screening_runs(survey: &Survey) -> u32 {
    u32::from(survey.failed > 0)
}

/// The numbers of cores that can be tried: powers of two, and all.
pub fn core_counts(cores: usize) -> Vec<usize> {
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|count| *count < cores).collect();
    counts.push(cores);
    counts
}

/// What hangs is not waited for. The same whatever the budget, which has limits of its own: a run that is only slower than the
/// first one is no hang.
pub fn trial_limit(survey: &Survey) -> Duration {
    Duration::from_secs_f64((10.0 * survey.seconds + 60.0).clamp(60.0, 30.0 * 86_400.0).ceil())
}

/// The same for a way, when one test after the other takes so many seconds: what takes twice as long need not be waited for.
pub(super) fn way_limit(survey: &Survey, run: f64) -> Duration {
    Duration::from_secs_f64(2.0 * run + 30.0).min(trial_limit(survey))
}

/// The experiment as a file: what can be run again by `parade run`. Nothing of the budget is in it, so that a larger one goes on
/// with what a smaller one began.
pub fn experiment_text(order: &AssessmentRequest, survey: &Survey, name: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    let limit = trial_limit(survey);
    let cores: Vec<String> = core_counts(order.cores).iter().map(ToString::to_string).collect();
    let memory = order.memory_bytes.map(|bytes| format!("memory = \"{bytes}B\"\n")).unwrap_or_default();
    let mut text = format!(
        "# What `parade assess` compares. `parade run` runs all of it.\n# revision: {}\n[experiment]\nname = {}\nrepetitions = {MOST_BLOCKS}\n\
         screening = {}\nseed = 1\n\n[machine]\ncores = [{}]\ntimeout = \"{}s\"\nbuild_timeout = \"{}s\"\n{}\n[[subject]]\nname = {}\n",
        survey.revision,
        quoted(name),
        screening_runs(survey),
        cores.join(", "),
        // A build belongs to it: with another one the project would be built anew.
        order.subject.timeout.as_secs().max(1),
        order.build_timeout.as_secs().max(1),
        memory,
        quoted(&order.subject.name),
    );
    // Not as settings: what is given for one assessment may be secret.
    let settings = order.subject.fingerprint().of_outcomes("assessment").digits(16);
    text.push_str(&format!("# settings: {settings}\n"));
    let mut put = |key: &str, value: &str| text.push_str(&format!("{key} = {value}\n"));
    match &order.subject.origin {
        Origin::Git { url, .. } => {
            put("git", &quoted(url));
            put("commit", &quoted(&survey.revision));
        }
        Origin::Folder { path } => put("path", &quoted(&path.to_string_lossy())),
        Origin::Model { path } => put("model", &quoted(&path.to_string_lossy())),
    }
    if let Some(directory) = &order.subject.directory {
        put("directory", &quoted(&directory.to_string_lossy()));
    }
    if !order.subject.modules.is_empty() {
        let modules: Vec<String> = order.subject.modules.iter().map(|module| quoted(module)).collect();
        put("modules", &format!("[{}]", modules.join(", ")));
    }
    for name in std::iter::once(SEQUENTIAL).chain(survey.ways.iter().map(|way| way.name())) {
        text.push_str(&format!("\n[subject.override.{name}]\ntimeout = \"{}s\"\n", limit.as_secs()));
    }
    text.push_str(&format!("\n[[configuration]]\nname = \"{SEQUENTIAL}\"\n\n"));
    let rerun = (survey.without_direct.is_none() && !order.subject.is_model()).then_some("direct");
    let threads = threads_per_core(survey);
    text.extend(survey.ways.iter().map(|way| way.configuration(threads, rerun)));
    text + &format!("[analysis]\nbaseline = \"{SEQUENTIAL}\"\n")
}

/// One line of the plan that is shown before anything runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub what: String,
    pub runs: usize,
    pub seconds: f64,
}

/// Ways in the order in which they are worth trying. Where the project says that it runs in parallel, what that does comes
/// first, else last; then what the forecast from the first run says is fastest.
pub fn by_promise(survey: &Survey) -> Vec<ParallelMode> {
    let is_parallel = !survey.parallel_today.is_empty();
    let expected = |way: ParallelMode| survey.promised(way).unwrap_or(f64::MAX);
    let mut others: Vec<ParallelMode> =
        survey.ways.iter().copied().filter(|way| *way != ParallelMode::Project).collect();
    let mut sorted = Vec::new();
    while let Some(fastest) = others.iter().map(|way| expected(*way)).min_by(f64::total_cmp) {
        let near = others.iter().copied().filter(|way| expected(*way) / AS_PROMISING <= fastest);
        let Some(next) = near.min() else { break };
        others.retain(|way| *way != next);
        sorted.push(next);
    }
    let today = survey.ways.contains(&ParallelMode::Project).then_some(ParallelMode::Project);
    let (before, after) = if is_parallel { (today, None) } else { (None, today) };
    before.into_iter().chain(sorted).chain(after).collect()
}

/// A budget as people read it.
pub fn shown(budget: Duration) -> String {
    format_duration(Duration::from_secs(budget.as_secs().max(1)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::experiment::{Plan, Trial};

    pub fn trial(configuration: &str, cores: usize, repetition: u32) -> Trial {
        Trial {
            id: format!("{configuration}.{cores}.{repetition}"),
            subject: "s".into(),
            configuration: configuration.into(),
            cores,
            repetition,
        }
    }

    pub fn plan(cores: &[usize]) -> Plan {
        let names = std::iter::once(SEQUENTIAL).chain(ParallelMode::ALL.map(ParallelMode::name)).collect::<Vec<_>>();
        let cell = |block: u32| {
            names
                .iter()
                .flat_map(move |name| cores.iter().map(move |cores| trial(name, *cores, block)))
                .collect::<Vec<_>>()
        };
        Plan { trials: (1..=MOST_BLOCKS).flat_map(cell).collect() }
    }

    #[test]
    fn what_the_forecast_says_is_fastest_is_tried_first() {
        let promise = vec![
            (ParallelMode::Forks, 9.0),
            (ParallelMode::Classes, 8.0),
            (ParallelMode::ClassesAndMethods, 3.0),
            (ParallelMode::Methods, 2.95),
        ];
        let survey = Survey { ways: ParallelMode::ALL.to_vec(), promise, ..Survey::example(10.0, 12.0) };
        let expected = [
            ParallelMode::ClassesAndMethods,
            ParallelMode::Methods,
            ParallelMode::Classes,
            ParallelMode::Forks,
            ParallelMode::Modules,
            ParallelMode::Project,
        ];
        assert_eq!(by_promise(&survey), expected);
        let today = Survey { parallel_today: vec!["forkCount = 2".to_owned()], ..survey.clone() };
        assert_eq!(by_promise(&today)[..2], [ParallelMode::Project, ParallelMode::ClassesAndMethods]);
        let unknown = Survey { promise: Vec::new(), ..survey };
        assert_eq!(by_promise(&unknown)[..2], [ParallelMode::Forks, ParallelMode::Modules], "the safer ones first");
    }

    #[test]
    fn tests_that_are_starved_are_not_taken_for_tests_that_wait() {
        let waits = Survey::example(10.0, 1.0);
        assert_eq!(threads_per_core(&waits), 4);
        assert!(threads_told(&waits).unwrap().contains("10 % of their time"), "{:?}", threads_told(&waits));
        assert_eq!(threads_unknown(&waits), None);
        let starved = Survey { load_during: Some(1.9), ..waits.clone() };
        let throttled = Survey { throttled_seconds: Some(6.0), ..waits.clone() };
        for (survey, why) in [(starved, "other work kept 1.9 cores busy"), (throttled, "a limit of CPU time")] {
            assert_eq!((threads_per_core(&survey), threads_told(&survey)), (1, None));
            assert!(threads_unknown(&survey).unwrap().starts_with(why), "{:?}", threads_unknown(&survey));
        }
        let quiet = Survey { load_during: Some(0.1), throttled_seconds: Some(0.1), ..waits };
        assert_eq!(threads_per_core(&quiet), 4);
    }

    /// What Maven computes and waits for before the first test says nothing about the tests.
    #[test]
    fn what_processes_tell_of_their_tests_counts_for_more_than_the_whole_build() {
        let computes = Survey { test_seconds: 4.0, test_cpu_seconds: Some(3.8), ..Survey::example(10.0, 4.5) };
        assert_eq!(threads_per_core(&computes), 1);
        assert_eq!(threads_per_core(&Survey { test_cpu_seconds: None, ..computes.clone() }), 4);
        assert_eq!(threads_per_core(&Survey { test_cpu_seconds: Some(0.4), ..computes }), 4);
    }

    #[test]
    fn the_default_budget_follows_the_first_run() {
        assert_eq!([1.0, 20.0, 200.0, 1000.0].map(|run| default_budget(run).as_secs()), [300, 600, 3600, 12_000]);
        assert_eq!(core_counts(1), [1]);
        assert_eq!(core_counts(6), [1, 2, 4, 6]);
    }
}
