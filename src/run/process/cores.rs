//! Which processors a command is pinned to.

use std::path::Path;

use miette::miette;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Where a processor sits. Two with the same package and core share one physical core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ProcessorPosition {
    package: usize,
    core: usize,
}

/// The processors that parade itself may use.
pub fn allowed() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect(),
        Err(_) => (0..std::thread::available_parallelism().map_or(1, usize::from)).collect(),
    }
}

/// Whether the machine tells which processors share a physical core.
pub fn topology_is_known() -> bool {
    allowed().into_iter().all(|processor| place(processor).is_some())
}

/// The processors for so many cores; none when that is all there are, as nothing needs pinning then.
pub fn choose(cores: Option<usize>) -> miette::Result<Vec<usize>> {
    let allowed = allowed();
    match cores {
        None => Ok(Vec::new()),
        Some(count) if count == allowed.len() => Ok(Vec::new()),
        Some(count) if count == 0 || count > allowed.len() => Err(miette!(
            help = format!("ask for 1 to {}", allowed.len()),
            "{count} cores were requested, but parade can use only {}",
            allowed.len()
        )),
        Some(count) => Ok(pick(count, &allowed, place)),
    }
}

pub fn pin(processors: &[usize]) -> rustix::io::Result<()> {
    if processors.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    processors.iter().filter(|processor| **processor < CpuSet::MAX_CPU).for_each(|processor| set.set(*processor));
    sched_setaffinity(None, &set)
}

/// One hardware thread of each physical core first, package by package; their siblings only when cores run out.
fn pick(count: usize, allowed: &[usize], place: impl Fn(usize) -> Option<ProcessorPosition>) -> Vec<usize> {
    let places: Vec<_> = allowed.iter().map(|processor| (*processor, place(*processor))).collect();
    let mut ranked: Vec<_> = places
        .iter()
        .enumerate()
        .map(|(index, (processor, place))| {
            let siblings_before = places[..index].iter().filter(|(_, other)| place.is_some() && other == place).count();
            (siblings_before, *place, *processor)
        })
        .collect();
    ranked.sort_unstable();
    let mut chosen: Vec<_> = ranked.into_iter().take(count).map(|(_, _, processor)| processor).collect();
    chosen.sort_unstable();
    chosen
}

fn place(processor: usize) -> Option<ProcessorPosition> {
    let topology = format!("/sys/devices/system/cpu/cpu{processor}/topology");
    let number = |name| std::fs::read_to_string(Path::new(&topology).join(name)).ok()?.trim().parse().ok();
    Some(ProcessorPosition { package: number("physical_package_id")?, core: number("core_id")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages with two cores of two threads; siblings are numbered apart, as Linux mostly does.
    fn two_packages(processor: usize) -> Option<ProcessorPosition> {
        Some(ProcessorPosition { package: processor % 4 / 2, core: processor % 2 })
    }

    #[test]
    fn physical_cores_come_before_hardware_threads() {
        let all: Vec<_> = (0..8).collect();
        assert_eq!(pick(2, &all, two_packages), [0, 1]);
        assert_eq!(pick(4, &all, two_packages), [0, 1, 2, 3]);
        assert_eq!(pick(5, &all, two_packages), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn only_allowed_processors_are_chosen() {
        assert_eq!(pick(2, &[1, 5, 6], two_packages), [1, 6]);
    }

    #[test]
    fn without_topology_the_first_are_taken() {
        assert_eq!(pick(2, &[3, 4, 9], |_| None), [3, 4]);
    }

    #[test]
    fn more_cores_than_there_are_is_an_error_that_says_so() {
        let error = choose(Some(100_000)).unwrap_err();
        assert!(error.to_string().contains("100000 cores were requested"), "{error}");
        assert!(choose(Some(0)).is_err());
        assert!(choose(Some(allowed().len())).unwrap().is_empty());
    }
}
