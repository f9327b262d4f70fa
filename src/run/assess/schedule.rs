//! What is run, and in which order. It follows from what was seen so far and from nothing else; a budget only says where it ends.
//! So what a small budget runs, a larger one runs too, and a run that goes on does what it would have done.
//!
//! The most promising way comes first, beside one test after the other, until an interval can be given: three blocks. Then a
//! single core, for the prediction, and every other way once; then what may pay off again and again.

use std::collections::{BTreeMap, BTreeSet};

use super::agenda::{self, Item};
use super::decide::LEAST_GAIN;
use super::evidence;
use super::firmness::HOPELESS;
use super::parallel_mode::{ParallelMode, SEQUENTIAL};
use super::run_time_estimates::RunTimeEstimates;
use super::survey::Survey;
use crate::experiment::Trial;
use crate::store::record::{Phase, TrialRecord, Verdict};
use crate::suite::TestId;

/// As many blocks as are of use, and as few as there have to be for an interval.
pub const MOST_BLOCKS: u32 = 10;
pub const FEWEST_BLOCKS: u32 = 3;
/// With so many pairs a p-value below 0.05 can be reached.
const ENOUGH_BLOCKS: u32 = 6;
/// Runs on a single core, and on core counts below the machine's.
const SCALING_RUNS: u32 = 3;

/// A configuration on so many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub configuration: &'static str,
    pub cores: usize,
}

impl Cell {
    pub fn is_of(&self, trial: &Trial) -> bool {
        self.configuration == trial.configuration && self.cores == trial.cores
    }

    /// Is there a record of it in this block?
    pub fn is_done(&self, block: u32, finished: &[TrialRecord]) -> bool {
        let mut in_block =
            finished.iter().filter(|record| record.phase == Phase::Measured && record.repetition == block);
        in_block.any(|record| self.configuration == record.configuration && self.cores == record.cores)
    }
}

/// Runs that make sense only together.
type Group = Vec<Cell>;

/// What was seen of a way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PartialResult {
    pub way: ParallelMode,
    pub overlapped: bool,
    /// Did every trial yield an outcome for every test?
    pub complete: bool,
    /// Did nothing fail but what fails without it, too?
    pub clean: bool,
    /// What it took before any repair, over one test after the other in the same blocks.
    pub share: f64,
}

impl PartialResult {
    fn is_alive(&self) -> bool {
        self.overlapped && self.complete
    }

    /// Would it be advised if it went on like this?
    fn is_hopeful(&self) -> bool {
        self.is_alive() && self.clean && self.share * LEAST_GAIN <= 1.0
    }
}

/// What earlier blocks showed.
#[derive(Debug, Clone, Default)]
pub(super) struct EarlierBlocks {
    glimpses: Vec<PartialResult>,
    runs: BTreeMap<Cell, u32>,
}

impl EarlierBlocks {
    /// Of the blocks before this one.
    pub fn before(block: u32, survey: &Survey, cores: usize, trials: &[TrialRecord]) -> Self {
        let earlier: Vec<&TrialRecord> =
            trials.iter().filter(|trial| trial.phase == Phase::Measured && trial.repetition < block).collect();
        let unsteady = unsteady(trials);
        let mut known = EarlierBlocks::default();
        for trial in &earlier {
            let way = ParallelMode::of_name(&trial.configuration);
            let configuration = way.map_or(SEQUENTIAL, ParallelMode::name);
            *known.runs.entry(Cell { configuration, cores: trial.cores }).or_default() += 1;
        }
        let on_all: Vec<&TrialRecord> = earlier.into_iter().filter(|trial| trial.cores == cores).collect();
        known.glimpses =
            ParallelMode::ALL.into_iter().filter_map(|way| glimpse(way, survey, &on_all, &unsteady)).collect();
        known
    }

    fn count(&self, cell: Cell) -> u32 {
        self.runs.get(&cell).copied().unwrap_or(0)
    }

    fn hopeful(&self) -> Option<ParallelMode> {
        let hopeful = self.glimpses.iter().filter(|glimpse| glimpse.is_hopeful());
        hopeful.min_by(|a, b| a.share.total_cmp(&b.share)).map(|glimpse| glimpse.way)
    }

    /// Ways that are worth more runs, the fastest first: those that had an effect, came to an end, and are not far behind the fastest.
    /// What the project does today stays, if it is parallel.
    fn survivors(&self) -> Vec<ParallelMode> {
        let mut alive: Vec<&PartialResult> = self.glimpses.iter().filter(|glimpse| glimpse.is_alive()).collect();
        alive.sort_by(|a, b| a.share.total_cmp(&b.share));
        let fastest = alive.first().map_or(f64::INFINITY, |glimpse| glimpse.share);
        alive.retain(|glimpse| glimpse.way == ParallelMode::Project || glimpse.share <= fastest * HOPELESS);
        alive.into_iter().map(|glimpse| glimpse.way).collect()
    }

    fn is_tried(&self, way: ParallelMode) -> bool {
        self.glimpses.iter().any(|glimpse| glimpse.way == way)
    }
}

/// Tests that failed without any parallelism.
fn unsteady(trials: &[TrialRecord]) -> BTreeSet<&TestId> {
    let sequential = trials.iter().filter(|trial| trial.phase == Phase::Screening || trial.configuration == SEQUENTIAL);
    sequential.flat_map(|trial| &trial.residual).map(|residual| &residual.test).collect()
}

/// Did something fail for want of which other runs pass? A record has no names of what was repaired, but their number.
pub(super) fn has_trouble(trial: &TrialRecord, trials: &[TrialRecord]) -> bool {
    trial.phase == Phase::Measured && trial.configuration != SEQUENTIAL && !is_clean(trial, &unsteady(trials))
}

fn is_clean(trial: &TrialRecord, unsteady: &BTreeSet<&TestId>) -> bool {
    let failed = trial.stages.first().map_or(0, |stage| stage.failures_after);
    let is_known = trial.residual.iter().all(|residual| unsteady.contains(&residual.test));
    match trial.verdict {
        Verdict::Clean | Verdict::Unsupported => failed <= unsteady.len(),
        Verdict::Failing => failed <= unsteady.len() && is_known,
        _ => false,
    }
}

fn glimpse(
    way: ParallelMode,
    survey: &Survey,
    trials: &[&TrialRecord],
    unsteady: &BTreeSet<&TestId>,
) -> Option<PartialResult> {
    let of = |name: &'static str| trials.iter().copied().filter(move |trial| trial.configuration == name);
    let seconds = |trial: &TrialRecord| {
        // Before any repair: what repairs cost can change once tests are mended.
        trial.stages.first().map_or(trial.cost.wall_seconds, |stage| stage.cost.wall_seconds)
    };
    let baseline = |block: u32| {
        let same = of(SEQUENTIAL).find(|trial| trial.repetition == block);
        same.map_or(survey.seconds, |trial| trial.cost.wall_seconds)
    };
    let runs: Vec<&TrialRecord> = of(way.name()).collect();
    let base: f64 = runs.iter().map(|trial| baseline(trial.repetition)).sum();
    (!runs.is_empty()).then(|| PartialResult {
        way,
        overlapped: runs.iter().any(|trial| trial.concurrency.max > 1),
        complete: runs.iter().all(|trial| evidence::is_whole(trial)),
        clean: runs.iter().all(|trial| is_clean(trial, unsteady)),
        share: runs.iter().map(|trial| seconds(trial)).sum::<f64>() / base.max(1e-9),
    })
}

/// The order of things for one project.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockSchedule<'a> {
    pub survey: &'a Survey,
    pub cores: usize,
}

impl BlockSchedule<'_> {
    /// What a block holds if there is time for all of it, what matters most first. Nothing, where nothing is left to be found out.
    pub fn block(&self, block: u32, known: &EarlierBlocks) -> Vec<Group> {
        let on_all = |way: ParallelMode| Cell { configuration: way.name(), cores: self.cores };
        let sequential = |cores: usize| Cell { configuration: SEQUENTIAL, cores };
        let is_early = block <= FEWEST_BLOCKS;
        let untried = agenda::by_promise(self.survey).into_iter().filter(|way| !known.is_tried(*way));
        let survivors = known.survivors();
        let mut ways: Vec<ParallelMode> = match known.hopeful() {
            Some(hopeful) if is_early => vec![hopeful],
            // The most promising one may be all that there is time for.
            None if known.glimpses.is_empty() => untried.take(1).collect(),
            _ => survivors.iter().take(1).copied().chain(untried).chain(survivors.iter().skip(1).copied()).collect(),
        };
        let is_single_wanted = self.cores > 1 && known.count(sequential(1)) < SCALING_RUNS;
        let is_settled = known.hopeful().is_some() && is_early || known.glimpses.is_empty();
        let single = (is_single_wanted && !is_settled).then(|| vec![sequential(1)]);
        if ways.is_empty() {
            // Where no way has an effect, it is still worth knowing what more cores would do.
            return single.filter(|_| known.count(sequential(1)) == 0).into_iter().collect();
        }
        let rest = ways.split_off(1);
        let pair = vec![sequential(self.cores), on_all(ways[0])];
        let others = rest.into_iter().map(|way| vec![on_all(way)]);
        let (before, after) = if is_early { (None, single) } else { (single, None) };
        let between = if block > ENOUGH_BLOCKS { self.between(known, &survivors) } else { Vec::new() };
        before.into_iter().chain([pair]).chain(others).chain(after).chain(between).collect()
    }

    /// Core counts between one and all: they serve the curve, not the verdict.
    fn between(&self, known: &EarlierBlocks, ways: &[ParallelMode]) -> Vec<Group> {
        let counts = agenda::core_counts(self.cores).into_iter().filter(|count| (2..self.cores).contains(count));
        let names = || std::iter::once(SEQUENTIAL).chain(ways.iter().map(|way| way.name()));
        let cells = counts.flat_map(|cores| names().map(move |configuration| Cell { configuration, cores }));
        cells.filter(|cell| known.count(*cell) < SCALING_RUNS).map(|cell| vec![cell]).collect()
    }

    /// What will probably be run from this block on, by what is known and what the model makes of the first run.
    pub fn ahead(
        &self,
        from: u32,
        mut known: EarlierBlocks,
        taken: &RunTimeEstimates<'_>,
        mut time: f64,
    ) -> Vec<(u32, Vec<Cell>)> {
        let expected = |cell: Cell| self.expected(cell, taken);
        let mut blocks = Vec::new();
        for block in from..=MOST_BLOCKS {
            let fits = fitting(self.block(block, &known), time, expected);
            if fits.cells.is_empty() {
                break;
            }
            for cell in &fits.cells {
                time -= expected(*cell);
                *known.runs.entry(*cell).or_default() += 1;
                let way = ParallelMode::of_name(cell.configuration).filter(|way| !known.is_tried(*way));
                known.glimpses.extend(way.map(|way| self.hoped_for(way, taken)));
            }
            blocks.push((block, fits.cells));
            if !fits.are_all {
                break;
            }
        }
        blocks
    }

    /// What a run will probably take.
    pub fn expected(&self, cell: Cell, taken: &RunTimeEstimates<'_>) -> f64 {
        let known = taken.known(cell.configuration, cell.cores);
        let way = ParallelMode::of_name(cell.configuration).filter(|_| cell.cores == self.cores);
        let promised = way.and_then(|way| self.survey.promised(way));
        known.or(promised).unwrap_or_else(|| taken.next(cell.configuration, cell.cores))
    }

    fn hoped_for(&self, way: ParallelMode, taken: &RunTimeEstimates<'_>) -> PartialResult {
        let seconds = self.expected(Cell { configuration: way.name(), cores: self.cores }, taken);
        let share = seconds / taken.sequential().max(1e-9);
        // What the project says of itself is sequential, unless something is known of it.
        let overlapped = way != ParallelMode::Project || !self.survey.parallel_today.is_empty();
        PartialResult { way, overlapped, complete: true, clean: true, share }
    }

    /// The plan for a person who waits.
    pub fn told(&self, blocks: &[(u32, Vec<Cell>)], taken: &RunTimeEstimates<'_>) -> Vec<Item> {
        let mut alike: Vec<(u32, u32, &Vec<Cell>)> = Vec::new();
        for (block, cells) in blocks {
            match alike.last_mut() {
                Some((_, last, known)) if *known == cells => *last = *block,
                _ => alike.push((*block, *block, cells)),
            }
        }
        let item = |(first, last, cells): (u32, u32, &Vec<Cell>)| {
            let name = |cell: &Cell| match cell.cores {
                all if all == self.cores => cell.configuration.to_owned(),
                1 => format!("{} on 1 core", cell.configuration),
                some => format!("{} on {some} cores", cell.configuration),
            };
            let names: Vec<String> = cells.iter().map(name).collect();
            let which = if first == last { format!("block {first}") } else { format!("blocks {first} to {last}") };
            let times = last - first + 1;
            let seconds: f64 = cells.iter().map(|cell| self.expected(*cell, taken)).sum();
            Item {
                what: format!("{which}: {}", names.join(", ")),
                runs: cells.len() * times as usize,
                seconds: seconds * f64::from(times),
            }
        };
        alike.into_iter().map(item).collect()
    }
}

/// What there is time for.
#[derive(Debug, PartialEq)]
pub(super) struct Fitting {
    pub cells: Vec<Cell>,
    /// Was nothing left out?
    pub are_all: bool,
}

/// The first groups, as many as fit: what comes after one that does not would be there with less time, and not with more.
pub(super) fn fitting(groups: Vec<Group>, time: f64, cost: impl Fn(Cell) -> f64) -> Fitting {
    let (mut cells, mut left) = (Vec::new(), time);
    for group in groups {
        let needs: f64 = group.iter().map(|cell| cost(*cell)).sum();
        if needs > left {
            return Fitting { cells, are_all: false };
        }
        left -= needs;
        cells.extend(group);
    }
    Fitting { cells, are_all: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(way: ParallelMode, share: f64) -> PartialResult {
        PartialResult { way, overlapped: true, complete: true, clean: true, share }
    }

    fn known(glimpses: Vec<PartialResult>) -> EarlierBlocks {
        EarlierBlocks { glimpses, ..EarlierBlocks::default() }
    }

    fn names(groups: &[Group]) -> Vec<String> {
        let name = |cell: &Cell| format!("{}@{}", cell.configuration, cell.cores);
        groups.iter().map(|group| group.iter().map(name).collect::<Vec<_>>().join("+")).collect()
    }

    #[test]
    fn what_has_no_effect_or_no_end_or_no_chance_is_not_run_again() {
        let known = known(vec![
            seen(ParallelMode::Forks, 0.6),
            seen(ParallelMode::Classes, 0.5),
            seen(ParallelMode::Methods, 0.9),
            PartialResult { complete: false, ..seen(ParallelMode::ClassesAndMethods, 0.4) },
            PartialResult { overlapped: false, ..seen(ParallelMode::Modules, 0.4) },
            seen(ParallelMode::Project, 2.0),
        ]);
        assert_eq!(known.survivors(), [ParallelMode::Classes, ParallelMode::Forks, ParallelMode::Project]);
        assert_eq!(known.hopeful(), Some(ParallelMode::Classes));
    }

    #[test]
    fn what_fails_or_hardly_gains_gives_no_hope() {
        let failing = PartialResult { clean: false, ..seen(ParallelMode::Classes, 0.5) };
        assert_eq!(known(vec![failing, seen(ParallelMode::Forks, 0.95)]).hopeful(), None);
    }

    #[test]
    fn a_block_holds_what_is_to_be_found_out_next() {
        let ways = vec![ParallelMode::Forks, ParallelMode::Classes, ParallelMode::Methods];
        let promise = vec![(ParallelMode::Classes, 5.0), (ParallelMode::Forks, 6.0), (ParallelMode::Methods, 7.0)];
        let survey = Survey { ways, promise, ..Survey::example(10.0, 12.0) };
        let course = BlockSchedule { survey: &survey, cores: 4 };
        let of = |block, glimpses: Vec<PartialResult>| names(&course.block(block, &known(glimpses)));
        assert_eq!(of(1, vec![]), ["sequential@4+classes@4"]);
        assert_eq!(
            of(3, vec![seen(ParallelMode::Classes, 0.5)]),
            ["sequential@4+classes@4"],
            "until there is an interval"
        );
        let tries = ["sequential@1", "sequential@4+classes@4", "forks@4", "methods@4"];
        assert_eq!(of(4, vec![seen(ParallelMode::Classes, 0.5)]), tries);
        let failing = PartialResult { clean: false, ..seen(ParallelMode::Classes, 0.5) };
        let others_first = ["sequential@4+classes@4", "forks@4", "methods@4", "sequential@1"];
        assert_eq!(of(2, vec![failing]), others_first);
        let all = || {
            vec![seen(ParallelMode::Classes, 0.5), seen(ParallelMode::Forks, 0.9), seen(ParallelMode::Methods, 0.55)]
        };
        assert_eq!(of(6, all()), ["sequential@1", "sequential@4+classes@4", "methods@4"]);
        assert_eq!(of(7, all())[3..], ["sequential@2", "classes@2", "methods@2"], "the curve comes last");
        let nothing = |way| PartialResult { overlapped: false, ..seen(way, 1.0) };
        let without_effect =
            || [ParallelMode::Forks, ParallelMode::Classes, ParallelMode::Methods].map(nothing).to_vec();
        assert_eq!(of(2, without_effect()), ["sequential@1"], "for the prediction");
        let runs = BTreeMap::from([(Cell { configuration: SEQUENTIAL, cores: 1 }, 1)]);
        assert!(course.block(3, &EarlierBlocks { glimpses: without_effect(), runs }).is_empty());
    }

    #[test]
    fn the_plan_is_told_by_blocks_that_are_alike() {
        let promise = vec![(ParallelMode::Classes, 5.0), (ParallelMode::Forks, 9.0)];
        let survey =
            Survey { ways: vec![ParallelMode::Forks, ParallelMode::Classes], promise, ..Survey::example(10.0, 12.0) };
        let (course, taken) = (BlockSchedule { survey: &survey, cores: 2 }, RunTimeEstimates::of(&survey, 2, &[]));
        let told = |time| course.told(&course.ahead(1, EarlierBlocks::default(), &taken, time), &taken);
        let brief: Vec<String> = told(46.0).into_iter().map(|item| format!("{} {}", item.runs, item.what)).collect();
        assert_eq!(brief, ["6 blocks 1 to 3: sequential, classes"]);
        let long: Vec<String> = told(1000.0).into_iter().map(|item| format!("{} {}", item.runs, item.what)).collect();
        let expected = [
            "6 blocks 1 to 3: sequential, classes",
            "4 block 4: sequential on 1 core, sequential, classes, forks",
            "6 blocks 5 to 6: sequential on 1 core, sequential, classes",
            "8 blocks 7 to 10: sequential, classes",
        ];
        assert_eq!(long, expected);
    }

    #[test]
    fn nothing_that_comes_later_takes_the_place_of_what_does_not_fit() {
        let cell = |cores| Cell { configuration: SEQUENTIAL, cores };
        let fits = |time| fitting(vec![vec![cell(1)], vec![cell(9)], vec![cell(2)]], time, |cell| cell.cores as f64);
        assert_eq!((fits(5.0).cells, fits(5.0).are_all), (vec![cell(1)], false));
        assert_eq!((fits(12.0).cells.len(), fits(12.0).are_all), (3, true));
    }
}
