//! From an experiment to the trials in the order in which they run.
//!
//! Repetitions are the outermost loop. Each is a block that holds every cell (subject × configuration × cores) once, in
//! an order drawn from the seed and the block's number alone: the blocks before stay the same when one is added.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::identity::CellIdentity;
use super::{Experiment, Plan, Trial};
use crate::spec::Subject;

impl Plan {
    pub fn of(experiment: &Experiment) -> Plan {
        let cells = cells(experiment);
        let blocks = experiment.subjects.iter().map(|subject| subject.repetitions).max().unwrap_or(0);
        let trials = (1..=blocks).flat_map(|block| trials_of_block(&cells, experiment.seed, block)).collect();
        Plan { trials }
    }
}

/// One subject, configuration and core count.
struct Cell<'a> {
    subject: &'a Subject,
    configuration: &'a str,
    cores: usize,
    identity: CellIdentity,
}

fn cells(experiment: &Experiment) -> Vec<Cell<'_>> {
    let mut cells = Vec::new();
    for subject in &experiment.subjects {
        for configuration in experiment.configurations_of(subject) {
            for &cores in &experiment.machine.cores {
                let identity = CellIdentity::of(experiment, subject, configuration, cores);
                cells.push(Cell { subject, configuration: &configuration.name, cores, identity });
            }
        }
    }
    cells
}

fn trials_of_block(cells: &[Cell<'_>], seed: u64, block: u32) -> Vec<Trial> {
    let mut trials: Vec<_> = cells
        .iter()
        .filter(|cell| block <= cell.subject.repetitions)
        .map(|cell| Trial {
            id: cell.identity.trial(block),
            subject: cell.subject.name.clone(),
            configuration: cell.configuration.to_owned(),
            cores: cell.cores,
            repetition: block,
        })
        .collect();
    shuffle(&mut trials, &mut generator(seed, block));
    trials
}

/// ChaCha8 with a key of seed (8 bytes) and block (4 bytes), little-endian, and zeros.
fn generator(seed: u64, block: u32) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&block.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// Fisher–Yates from the end. Written out because a plan must be the same on every platform and with every release of
/// the library whose own shuffle promises neither.
fn shuffle<T>(items: &mut [T], generator: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, generator) as usize);
    }
}

/// A number below `bound`, all equally likely: 64 bits modulo the bound, drawn again when they fall into the incomplete
/// last stretch of the 64-bit range.
fn below(bound: u64, generator: &mut impl Rng) -> u64 {
    let incomplete = (u64::MAX % bound + 1) % bound;
    loop {
        let drawn = generator.next_u64();
        if drawn <= u64::MAX - incomplete {
            return drawn % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shuffle_is_the_same_everywhere() {
        let mut numbers: Vec<u32> = (0..10).collect();
        shuffle(&mut numbers, &mut generator(2021, 1));
        assert_eq!(numbers, [7, 9, 1, 4, 0, 6, 5, 3, 2, 8]);
    }

    #[test]
    fn every_order_of_three_is_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        let mut generator = generator(1, 1);
        for _ in 0..6_000 {
            let mut items = [0, 1, 2];
            shuffle(&mut items, &mut generator);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_draw_never_reaches_its_bound() {
        let mut generator = generator(7, 7);
        for bound in [1, 2, 3, 1 << 63, u64::MAX] {
            assert!((0..100).all(|_| below(bound, &mut generator) < bound));
        }
    }
}
