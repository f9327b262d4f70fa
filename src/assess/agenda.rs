//! What is run, and how often: as much as the budget allows. The experiment holds everything that could be run; which of its
//! trials are, is decided here, from what runs have taken so far.

use std::time::Duration;

use serde::Serialize;

use super::Order;
use super::survey::Survey;
use super::taken::Taken;
use super::ways::{SEQUENTIAL, Way};
use crate::experiment::{Origin, Plan, Trial, format_duration};

/// As many blocks as are of use, and as few as there have to be for an interval.
pub const MOST_BLOCKS: u32 = 10;
pub const FEWEST_BLOCKS: u32 = 3;
/// With so many pairs a p-value below 0.05 can be reached.
const ENOUGH_BLOCKS: u32 = 6;
/// Blocks in which the single core and core counts below the machine's are run too.
const SCALING_BLOCKS: u32 = 3;
/// A way that takes so many times as long as the fastest is not run again.
const HOPELESS: f64 = 1.25;
/// Of what is left of the budget, for finding out why tests failed.
pub(super) const FOR_CAUSES: f64 = 0.2;
/// Screening leaves time for so many runs.
pub(super) const FEWEST_RUNS: f64 = 8.0;
/// Sequential runs that only look for flaky tests, where there is time for them.
const SCREENING: u32 = 2;
/// Of two ways that are forecast to be this close, the safer one is tried first.
const AS_PROMISING: f64 = 1.03;

/// The budget where nobody gives one: many runs, within bounds that people wait.
pub fn default_budget(first_run: f64) -> Duration {
    const SHORTEST: f64 = 300.0;
    const LONGEST: f64 = 3600.0;
    Duration::from_secs_f64((30.0 * first_run).clamp(SHORTEST, LONGEST).max(12.0 * first_run).min(86_400.0))
}

/// Threads for each core: more where tests mostly wait.
pub fn threads_per_core(survey: &Survey) -> u32 {
    let startup = (survey.seconds - survey.test_seconds).max(0.0);
    let computing = ((survey.cpu_seconds - startup) / survey.test_seconds.max(1e-9)).clamp(0.05, 1.0);
    match computing {
        share if share < 0.3 => 4,
        share if share < 0.6 => 2,
        _ => 1,
    }
}

/// Of those, how many a budget of so many runs bears.
pub(super) fn screening_runs(budget_in_runs: f64) -> u32 {
    match budget_in_runs {
        runs if runs >= 25.0 => SCREENING,
        runs if runs >= 15.0 => 1,
        _ => 0,
    }
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

/// The same for a way, when one test after the other takes so many seconds: it may hang, and the budget has to bear that.
pub(super) fn way_limit(survey: &Survey, run: f64, budget: Duration) -> Duration {
    let bearable = (budget.as_secs_f64() / 4.0).max(1.5 * run + 30.0);
    let limit = (4.0 * run + 30.0).max(60.0).min(bearable);
    Duration::from_secs_f64(limit).min(trial_limit(survey))
}

/// The experiment as a file: what can be run again by `parade run`. Nothing of the budget is in it, so that a larger one goes on
/// with what a smaller one began.
pub fn experiment_text(order: &Order, survey: &Survey, name: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    let limit = trial_limit(survey);
    let cores: Vec<String> = core_counts(order.cores).iter().map(ToString::to_string).collect();
    let mut text = format!(
        "# What `parade assess` compares. `parade run` runs all of it.\n# revision: {}\n[experiment]\nname = {}\nrepetitions = {MOST_BLOCKS}\n\
         screening = {SCREENING}\nseed = 1\n\n[machine]\ncores = [{}]\ntimeout = \"{}s\"\nbuild_timeout = \"{}s\"\n\n[[subject]]\nname = {}\n",
        survey.revision,
        quoted(name),
        cores.join(", "),
        // A build belongs to it: with another one the project would be built anew.
        order.subject.timeout.as_secs().max(1),
        order.build_timeout.as_secs().max(1),
        quoted(&order.subject.name),
    );
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    pub what: String,
    pub runs: usize,
    pub seconds: f64,
}

/// Ways in the order in which they are worth trying. Where the project says that it runs in parallel, what that does comes
/// first, else last; then what the forecast from the first run says is fastest.
pub fn by_promise(survey: &Survey) -> Vec<Way> {
    let is_parallel = !survey.parallel_today.is_empty();
    let expected =
        |way: Way| survey.promise.iter().find(|(known, _)| *known == way).map_or(f64::MAX, |(_, time)| *time);
    let mut others: Vec<Way> = survey.ways.iter().copied().filter(|way| *way != Way::Project).collect();
    let mut sorted = Vec::new();
    while let Some(fastest) = others.iter().map(|way| expected(*way)).min_by(f64::total_cmp) {
        let near = others.iter().copied().filter(|way| expected(*way) / AS_PROMISING <= fastest);
        let Some(next) = near.min() else { break };
        others.retain(|way| *way != next);
        sorted.push(next);
    }
    let today = survey.ways.contains(&Way::Project).then_some(Way::Project);
    let (before, after) = if is_parallel { (today, None) } else { (None, today) };
    before.into_iter().chain(sorted).chain(after).collect()
}

/// Which of these are tried: as many as fit, at least one.
pub fn affordable(survey: &Survey, mut ways: Vec<Way>, seconds: f64) -> Vec<Way> {
    let fits = |count: usize| survey.seconds * (2.3 + 0.9 * count as f64) <= seconds;
    while ways.len() > 1 && !fits(ways.len()) {
        ways.pop();
    }
    ways
}

/// Does the budget bear a run on a single core, which only the prediction needs?
pub fn affords_single_core(survey: &Survey, ways: &[Way], seconds: f64) -> bool {
    survey.seconds * (1.0 + 2.0 + 0.9 * ways.len() as f64) <= seconds
}

/// What will probably be done, for a person who waits.
pub fn outlook(survey: &Survey, ways: &[Way], budget: Duration, left: Duration) -> Vec<Item> {
    let run = survey.seconds;
    let screening = screening_runs(budget.as_secs_f64() / run.max(1e-3));
    let first = run * (2.3 + 0.9 * ways.len() as f64);
    let block = run * (1.0 + 0.7 * (ways.len().min(2)) as f64);
    let left = (left.as_secs_f64() - run * f64::from(screening) - first).max(0.0) * (1.0 - FOR_CAUSES);
    let blocks = blocks_within(left, block);
    vec![
        Item {
            what: "runs without parallelism, to set flaky tests aside".into(),
            runs: screening as usize,
            seconds: run * f64::from(screening),
        },
        Item { what: format!("every way once: {}", names(ways)), runs: 2 + ways.len(), seconds: first },
        Item {
            what: "again, those that may pay off".into(),
            runs: blocks as usize * (1 + ways.len().min(2)),
            seconds: f64::from(blocks) * block,
        },
    ]
}

fn names(ways: &[Way]) -> String {
    let names: Vec<&str> = std::iter::once(SEQUENTIAL).chain(ways.iter().map(|way| way.name())).collect();
    names.join(", ")
}

fn blocks_within(seconds: f64, block: f64) -> u32 {
    let fit = (seconds / block.max(1e-3)).floor();
    if fit.is_finite() { (fit.max(0.0) as u32).min(MOST_BLOCKS - 1) } else { MOST_BLOCKS - 1 }
}

/// The trials of a block in which ways are tried for the first time, in an order that is left to chance.
pub fn tryout(plan: &Plan, block: u32, ways: &[Way], cores: usize, single_core: bool) -> Plan {
    let is_left_out = |trial: &Trial| cores > 1 && trial.cores == 1 && !single_core;
    let wanted = |trial: &&Trial| trial.repetition == block && is_wanted(trial, ways, cores) && !is_left_out(trial);
    Plan { trials: plan.trials.iter().filter(wanted).cloned().collect() }
}

/// The same where time may run out: what the answer needs most comes first.
pub fn most_needed_first(mut plan: Plan, ways: &[Way], cores: usize) -> Plan {
    let rank = |trial: &Trial| match ways.iter().position(|way| way.name() == trial.configuration) {
        Some(place) => place + 1,
        None if trial.cores == cores => 0,
        None => ways.len() + 1,
    };
    plan.trials.sort_by_key(rank);
    plan
}

/// All cores for every way; a single one for the baseline, which the model is made from.
fn is_wanted(trial: &Trial, ways: &[Way], cores: usize) -> bool {
    let is_baseline = trial.configuration == SEQUENTIAL;
    let is_way = Way::of_name(&trial.configuration).is_some_and(|way| ways.contains(&way));
    (trial.cores == cores && (is_baseline || is_way)) || (trial.cores == 1 && is_baseline)
}

/// What the first block showed of a way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glimpse {
    pub way: Way,
    pub overlapped: bool,
    /// Did the trial yield an outcome for every test?
    pub complete: bool,
    /// What it took, over one test after the other in the same block.
    pub share: f64,
}

/// Ways that are worth more runs: those that had an effect, came to an end, and are not far behind the fastest. What the
/// project does today stays, if it is parallel.
pub fn survivors(glimpses: &[Glimpse]) -> Vec<Way> {
    let alive = |glimpse: &&Glimpse| glimpse.overlapped && glimpse.complete;
    let fastest = glimpses.iter().filter(alive).map(|glimpse| glimpse.share).fold(f64::INFINITY, f64::min);
    let near = |glimpse: &&Glimpse| glimpse.way == Way::Project || glimpse.share <= fastest * HOPELESS;
    glimpses.iter().filter(alive).filter(near).map(|glimpse| glimpse.way).collect()
}

/// How far an assessment has come.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// Blocks that have a baseline.
    pub blocks: u32,
    /// The first one that may lack ways which are worth more runs.
    pub from: u32,
}

/// What is run after the first block: as many blocks as fit into the time; where the budget is parade's own, at least those that an interval takes.
pub(super) fn rest(
    plan: &Plan,
    ways: &[Way],
    cores: usize,
    taken: &Taken<'_>,
    reached: Reached,
    (seconds, strict): (f64, bool),
) -> Plan {
    let block = taken.block(ways.iter().map(|way| way.name()));
    let single = taken.known(SEQUENTIAL, 1).filter(|_| cores > 1);
    let usable = seconds * (1.0 - FOR_CAUSES);
    // Where the budget is tight, pairs on all cores are worth more than another look at a single one.
    let again = f64::from(SCALING_BLOCKS.saturating_sub(reached.blocks)) * single.unwrap_or(0.0);
    let repeats_single = single.is_some() && usable - again >= f64::from(FEWEST_BLOCKS - 1) * block;
    let room = if repeats_single { usable - again } else { usable }.max(0.0);
    let mut blocks = (reached.blocks + blocks_within(room, block)).min(MOST_BLOCKS);
    if !strict {
        blocks = blocks.max(FEWEST_BLOCKS);
    }
    // Core counts between one and all come last: they serve the curve, not the verdict.
    let between = core_counts(cores).len().saturating_sub(2) as f64 * block * f64::from(SCALING_BLOCKS - 1);
    let more = |blocks: u32| f64::from(blocks.saturating_sub(reached.blocks)) * block;
    if between > 0.0 && room < more(blocks) + between {
        blocks = blocks.min(ENOUGH_BLOCKS.max(reached.blocks + blocks_within(room - between, block)));
    }
    let is_roomy = room >= more(blocks) + between;
    let wanted = |trial: &&Trial| {
        let is_chosen = trial.configuration == SEQUENTIAL || ways.iter().any(|way| way.name() == trial.configuration);
        let scales = trial.repetition <= SCALING_BLOCKS;
        let counts = match trial.cores {
            all if all == cores => is_chosen,
            1 => scales && repeats_single && trial.configuration == SEQUENTIAL,
            _ => scales && is_chosen && is_roomy,
        };
        (reached.from..=blocks).contains(&trial.repetition) && counts
    };
    Plan { trials: plan.trials.iter().filter(wanted).cloned().collect() }
}

/// A budget as people read it.
pub fn shown(budget: Duration) -> String {
    format_duration(Duration::from_secs(budget.as_secs().max(1)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::store::record::tests::trial as record;
    use crate::store::record::{Phase, TrialRecord};
    use crate::suite::Cost;

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
        let names = std::iter::once(SEQUENTIAL).chain(Way::ALL.map(Way::name)).collect::<Vec<_>>();
        let cell = |block: u32| {
            names
                .iter()
                .flat_map(move |name| cores.iter().map(move |cores| trial(name, *cores, block)))
                .collect::<Vec<_>>()
        };
        Plan { trials: (1..=MOST_BLOCKS).flat_map(cell).collect() }
    }

    /// Twelve seconds on one core, ten on four; five by classes.
    fn finished() -> Vec<TrialRecord> {
        let of = |(configuration, cores, seconds): (&str, usize, f64)| TrialRecord {
            configuration: configuration.to_owned(),
            cores,
            phase: Phase::Measured,
            cost: Cost { wall_seconds: seconds, ..Cost::default() },
            ..record("x")
        };
        [(SEQUENTIAL, 1, 12.0), (SEQUENTIAL, 4, 10.0), ("classes", 4, 5.0)].map(of).into()
    }

    #[test]
    fn the_first_block_tries_every_way_and_a_single_core() {
        let block = tryout(&plan(&[1, 2, 4]), 1, &[Way::Classes, Way::Forks], 4, true);
        let ids = |plan: &Plan| plan.trials.iter().map(|trial| trial.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&block), ["sequential.1.1", "sequential.4.1", "forks.4.1", "classes.4.1"]);
        let sorted = most_needed_first(block, &[Way::Classes, Way::Forks], 4);
        assert_eq!(ids(&sorted), ["sequential.4.1", "classes.4.1", "forks.4.1", "sequential.1.1"]);
        let tight = tryout(&plan(&[1, 4]), 1, &[Way::Classes], 4, false);
        assert!(tight.trials.iter().all(|trial| trial.cores == 4) && tight.trials.len() == 2, "{tight:?}");
        assert_eq!(tryout(&plan(&[1]), 1, &[Way::Classes], 1, false).trials.len(), 2, "then it is all there is");
    }

    #[test]
    fn what_the_forecast_says_is_fastest_is_tried_first() {
        let promise = vec![(Way::Forks, 9.0), (Way::Classes, 8.0), (Way::ClassesAndMethods, 3.0), (Way::Methods, 2.95)];
        let survey = Survey { ways: Way::ALL.to_vec(), promise, ..Survey::example(10.0, 12.0) };
        let expected = [Way::ClassesAndMethods, Way::Methods, Way::Classes, Way::Forks, Way::Modules, Way::Project];
        assert_eq!(by_promise(&survey), expected);
        assert_eq!(affordable(&survey, by_promise(&survey), 1.0), [Way::ClassesAndMethods]);
        let today = Survey { parallel_today: vec!["forkCount = 2".to_owned()], ..survey.clone() };
        assert_eq!(by_promise(&today)[..2], [Way::Project, Way::ClassesAndMethods]);
        let unknown = Survey { promise: Vec::new(), ..survey };
        assert_eq!(by_promise(&unknown)[..2], [Way::Forks, Way::Modules], "the safer ones first");
    }

    #[test]
    fn what_has_no_effect_or_no_end_or_no_chance_is_not_run_again() {
        let glimpse = |way, overlapped, complete, share| Glimpse { way, overlapped, complete, share };
        let seen = [
            glimpse(Way::Classes, true, true, 5.0),
            glimpse(Way::Forks, true, true, 6.0),
            glimpse(Way::Methods, true, true, 9.0),
            glimpse(Way::ClassesAndMethods, true, false, 4.0),
            glimpse(Way::Modules, false, true, 4.0),
            glimpse(Way::Project, true, true, 20.0),
        ];
        assert_eq!(survivors(&seen), [Way::Classes, Way::Forks, Way::Project]);
    }

    #[test]
    fn the_budget_decides_how_often() {
        let (all, survey, finished) = (plan(&[1, 4]), Survey::example(10.0, 12.0), finished());
        let taken = Taken::of(&survey, 4, &finished);
        let first = Reached { blocks: 1, from: 2 };
        let rest = |reached, seconds, strict| rest(&all, &[Way::Classes], 4, &taken, reached, (seconds, strict));
        let last = |plan: &Plan| plan.trials.iter().map(|trial| trial.repetition).max();
        let plenty = rest(first, 10_000.0, true);
        let single_core = plenty.trials.iter().filter(|trial| trial.cores == 1).count();
        assert_eq!((last(&plenty), plenty.trials.len(), single_core), (Some(MOST_BLOCKS), 9 * 2 + 2, 2));
        let little = rest(first, 80.0, true);
        let seconds: f64 = little.trials.iter().map(|trial| taken.of_trial(trial)).sum();
        assert!(last(&little) == Some(3) && seconds <= 80.0, "{little:?}");
        let less = rest(first, 50.0, true);
        assert!(last(&less) == Some(3) && less.trials.iter().all(|trial| trial.cores == 4), "{less:?}");
        assert_eq!(last(&rest(first, 10.0, true)), None);
        assert_eq!(last(&rest(first, 10.0, false)), Some(FEWEST_BLOCKS));
        let more = rest(Reached { blocks: 5, from: 5 }, 100.0, true);
        assert_eq!((last(&more), more.trials.len()), (Some(8), 4 * 2), "a larger budget adds to what is there");
        assert_eq!(last(&rest(Reached { blocks: 10, from: 2 }, 10_000.0, true)), Some(MOST_BLOCKS));
    }

    #[test]
    fn the_default_budget_follows_the_first_run() {
        assert_eq!([1.0, 20.0, 200.0, 1000.0].map(|run| default_budget(run).as_secs()), [300, 600, 3600, 12_000]);
        assert_eq!(core_counts(1), [1]);
        assert_eq!(core_counts(6), [1, 2, 4, 6]);
    }
}
