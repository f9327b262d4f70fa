//! What is run, and how often: as much as the budget allows. The experiment holds everything that could be run; which of its
//! trials are, is decided here, from what runs have taken so far.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::Order;
use super::survey::Survey;
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
const FOR_CAUSES: f64 = 0.2;

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

/// Sequential runs that only look for flaky tests; where the budget is tight, those of the blocks have to do.
fn screening_runs(survey: &Survey, budget: Duration) -> u32 {
    match budget.as_secs_f64() / survey.seconds.max(1e-3) {
        runs if runs >= 25.0 => 2,
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

/// What hangs is not waited for: several times what a run takes, and no more than the budget bears; but a run that is only
/// slower than the first one is no hang.
pub fn trial_limit(survey: &Survey, budget: Duration) -> Duration {
    let limit = Duration::from_secs_f64((4.0 * survey.seconds + 30.0).clamp(60.0, 30.0 * 86_400.0).ceil());
    let least = Duration::from_secs_f64((1.5 * survey.seconds + 30.0).clamp(60.0, 30.0 * 86_400.0).ceil());
    limit.min(Duration::from_secs(budget.as_secs() / 4)).max(least)
}

/// The experiment as a file: what can be run again by `parade run`.
pub fn experiment_text(order: &Order, survey: &Survey, name: &str, budget: Duration) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    let limit = trial_limit(survey, budget);
    let screening = screening_runs(survey, budget);
    let cores: Vec<String> = core_counts(order.cores).iter().map(ToString::to_string).collect();
    let mut text = format!(
        "# What `parade assess` compares. `parade run` runs all of it.\n# revision: {}\n[experiment]\nname = {}\nrepetitions = {MOST_BLOCKS}\n\
         screening = {screening}\nseed = 1\n\n[machine]\ncores = [{}]\ntimeout = \"{}s\"\nbuild_timeout = \"{}s\"\n\n[[subject]]\nname = {}\n",
        survey.revision,
        quoted(name),
        cores.join(", "),
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

/// Which ways are tried in the first block: as many as fit, the more promising ones first.
pub fn affordable(survey: &Survey, seconds: f64) -> Vec<Way> {
    let mut worth = [Way::Classes, Way::Forks, Way::Project, Way::ClassesAndMethods, Way::Methods, Way::Modules];
    // Where the project says that it runs in parallel, what that does comes first.
    worth.sort_by_key(|way| *way != Way::Project || survey.parallel_today.is_empty());
    let mut ways: Vec<Way> = worth.into_iter().filter(|way| survey.ways.contains(way)).collect();
    let fits = |count: usize| survey.seconds * (2.3 + 0.9 * count as f64) <= seconds;
    while ways.len() > 1 && !fits(ways.len()) {
        ways.pop();
    }
    ways.sort();
    ways
}

/// Does the budget bear a run on a single core, which only the prediction needs?
pub fn affords_single_core(survey: &Survey, ways: &[Way], seconds: f64) -> bool {
    survey.seconds * (1.0 + 2.0 + 0.9 * ways.len() as f64) <= seconds
}

/// What will probably be done, for a person who waits.
pub fn outlook(survey: &Survey, ways: &[Way], budget: Duration, left: Duration) -> Vec<Item> {
    let run = survey.seconds;
    let screening = screening_runs(survey, budget);
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

/// The trials of the first block.
pub fn first_block(plan: &Plan, ways: &[Way], cores: usize, single_core: bool) -> Plan {
    let is_left_out = |trial: &Trial| cores > 1 && trial.cores == 1 && !single_core;
    let wanted = |trial: &&Trial| trial.repetition == 1 && is_wanted(trial, ways, cores) && !is_left_out(trial);
    Plan { trials: plan.trials.iter().filter(wanted).cloned().collect() }
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
    pub seconds: f64,
}

/// Ways that are worth more runs: those that had an effect, came to an end, and are not far behind the fastest. What the
/// project does today stays, if it is parallel.
pub fn survivors(glimpses: &[Glimpse]) -> Vec<Way> {
    let alive = |glimpse: &&Glimpse| glimpse.overlapped && glimpse.complete;
    let fastest = glimpses.iter().filter(alive).map(|glimpse| glimpse.seconds).fold(f64::INFINITY, f64::min);
    let near = |glimpse: &&Glimpse| glimpse.way == Way::Project || glimpse.seconds <= fastest * HOPELESS;
    glimpses.iter().filter(alive).filter(near).map(|glimpse| glimpse.way).collect()
}

/// What is run after the first block.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    pub plan: Plan,
    /// In all, the first one included.
    pub blocks: u32,
    pub seconds: f64,
}

/// As many blocks as fit into the time; where the budget is parade's own, at least those that an interval takes.
pub fn rest(plan: &Plan, ways: &[Way], cores: usize, taken: &Taken, seconds: f64, strict: bool) -> Rest {
    let block = taken.block(ways, cores);
    let single = taken.at(SEQUENTIAL, 1).filter(|_| cores > 1);
    let usable = seconds * (1.0 - FOR_CAUSES);
    // Where the budget is tight, pairs on all cores are worth more than another look at a single one.
    let again = f64::from(SCALING_BLOCKS - 1) * single.unwrap_or(0.0);
    let repeats_single = single.is_some() && usable - again >= f64::from(FEWEST_BLOCKS - 1) * block;
    let room = if repeats_single { usable - again } else { usable }.max(0.0);
    let mut blocks = 1 + blocks_within(room, block);
    if !strict {
        blocks = blocks.max(FEWEST_BLOCKS);
    }
    // Core counts between one and all come last: they serve the curve, not the verdict.
    let between = core_counts(cores).len().saturating_sub(2) as f64 * block * f64::from(SCALING_BLOCKS - 1);
    if between > 0.0 && room < f64::from(blocks - 1) * block + between {
        blocks = blocks.min(ENOUGH_BLOCKS.max(1 + blocks_within(room - between, block)));
    }
    let is_roomy = room >= f64::from(blocks - 1) * block + between;
    let wanted = |trial: &&Trial| {
        let is_chosen = trial.configuration == SEQUENTIAL || ways.iter().any(|way| way.name() == trial.configuration);
        let scales = trial.repetition <= SCALING_BLOCKS;
        let counts = match trial.cores {
            all if all == cores => is_chosen,
            1 => scales && repeats_single && trial.configuration == SEQUENTIAL,
            _ => scales && is_chosen && is_roomy,
        };
        (2..=blocks).contains(&trial.repetition) && counts
    };
    let trials: Vec<Trial> = plan.trials.iter().filter(wanted).cloned().collect();
    let seconds = trials.iter().map(|trial| taken.of(trial)).sum();
    Rest { plan: Plan { trials }, blocks, seconds }
}

/// What runs have taken so far, by configuration and cores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Taken {
    cells: BTreeMap<(String, usize), f64>,
}

impl Taken {
    pub fn note(&mut self, configuration: &str, cores: usize, seconds: f64) {
        self.cells.insert((configuration.to_owned(), cores), seconds);
    }

    fn at(&self, configuration: &str, cores: usize) -> Option<f64> {
        self.cells.get(&(configuration.to_owned(), cores)).copied()
    }

    /// On a number of cores that was not tried, as on the next lower one; on none, as the longest.
    fn of(&self, trial: &Trial) -> f64 {
        let lower = (1..=trial.cores).rev().find_map(|cores| self.at(&trial.configuration, cores));
        let longest = self.cells.values().copied().fold(0.0, f64::max);
        lower.unwrap_or(longest)
    }

    fn block(&self, ways: &[Way], cores: usize) -> f64 {
        let names = std::iter::once(SEQUENTIAL).chain(ways.iter().map(|way| way.name()));
        names.filter_map(|name| self.at(name, cores)).sum()
    }
}

/// A budget as people read it.
pub fn shown(budget: Duration) -> String {
    format_duration(Duration::from_secs(budget.as_secs().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(configuration: &str, cores: usize, repetition: u32) -> Trial {
        Trial {
            id: format!("{configuration}.{cores}.{repetition}"),
            subject: "s".into(),
            configuration: configuration.into(),
            cores,
            repetition,
        }
    }

    fn plan(cores: &[usize]) -> Plan {
        let names = std::iter::once(SEQUENTIAL).chain(Way::ALL.map(Way::name)).collect::<Vec<_>>();
        let cell = |block: u32| {
            names
                .iter()
                .flat_map(move |name| cores.iter().map(move |cores| trial(name, *cores, block)))
                .collect::<Vec<_>>()
        };
        Plan { trials: (1..=MOST_BLOCKS).flat_map(cell).collect() }
    }

    fn taken() -> Taken {
        let mut taken = Taken::default();
        taken.note(SEQUENTIAL, 1, 12.0);
        taken.note(SEQUENTIAL, 4, 10.0);
        taken.note("classes", 4, 5.0);
        taken
    }

    #[test]
    fn the_first_block_tries_every_way_and_a_single_core() {
        let block = first_block(&plan(&[1, 2, 4]), &[Way::Classes, Way::Forks], 4, true);
        let ids: Vec<&str> = block.trials.iter().map(|trial| trial.id.as_str()).collect();
        assert_eq!(ids, ["sequential.1.1", "sequential.4.1", "forks.4.1", "classes.4.1"]);
        let tight = first_block(&plan(&[1, 4]), &[Way::Classes], 4, false);
        assert!(tight.trials.iter().all(|trial| trial.cores == 4) && tight.trials.len() == 2, "{tight:?}");
        assert_eq!(first_block(&plan(&[1]), &[Way::Classes], 1, false).trials.len(), 2, "then it is all there is");
    }

    #[test]
    fn what_has_no_effect_or_no_end_or_no_chance_is_not_run_again() {
        let glimpse = |way, overlapped, complete, seconds| Glimpse { way, overlapped, complete, seconds };
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
        let all = plan(&[1, 4]);
        let plenty = rest(&all, &[Way::Classes], 4, &taken(), 10_000.0, true);
        assert_eq!(plenty.blocks, MOST_BLOCKS);
        let single_core = plenty.plan.trials.iter().filter(|trial| trial.cores == 1).count();
        assert_eq!((plenty.plan.trials.len(), single_core), (9 * 2 + 2, 2));
        let little = rest(&all, &[Way::Classes], 4, &taken(), 80.0, true);
        assert_eq!(little.blocks, 3);
        let less = rest(&all, &[Way::Classes], 4, &taken(), 50.0, true);
        assert!(less.blocks == 3 && less.plan.trials.iter().all(|trial| trial.cores == 4), "{less:?}");
        assert!(little.seconds <= 80.0, "{little:?}");
        assert_eq!(rest(&all, &[Way::Classes], 4, &taken(), 10.0, true).blocks, 1);
        assert_eq!(rest(&all, &[Way::Classes], 4, &taken(), 10.0, false).blocks, FEWEST_BLOCKS);
    }

    #[test]
    fn the_default_budget_follows_the_first_run() {
        assert_eq!([1.0, 20.0, 200.0, 1000.0].map(|run| default_budget(run).as_secs()), [300, 600, 3600, 12_000]);
        assert_eq!(core_counts(1), [1]);
        assert_eq!(core_counts(6), [1, 2, 4, 6]);
    }
}
