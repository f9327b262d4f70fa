//! The files in which test processes wrote what each test ran into: one record per test, each with the classes that were
//! touched and a bit for each of JaCoCo's probes in them.
//!
//! A process can die amid a record, and subjects can write anywhere: what is not whole or not possible ends a file.

use std::collections::HashMap;

use std::io::{BufReader, Read};
use std::path::Path;

use crate::file_error::file_error;
use crate::folder_handle::open_regular;

/// A class with more would not fit a class file's limits.
const MOST_PROBES: u32 = 1 << 20;
/// The number of no test: the file was full.
const FULL: u32 = 0;

/// All that the processes of a run wrote.
#[derive(Debug, Default)]
pub struct Traces {
    classes: Vec<Class>,
    places: HashMap<u64, usize>,
    /// What was hit of a class by some test, each once.
    patterns: Vec<Pattern>,
    known: HashMap<Pattern, u32>,
    /// By the number that its process gave to a test, in the order of the file.
    records: Vec<Record>,
    /// Did a process have more to write than a file takes?
    pub cut: bool,
}

/// A class as JaCoCo knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Of its content.
    pub id: u64,
    pub name: String,
    pub probes: u32,
}

/// Probes of one class that were hit together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub class: usize,
    bits: Box<[u8]>,
}

/// What one test ran into, or the beginning of it, or the rest.
#[derive(Debug)]
pub struct Record {
    /// The process that wrote it.
    pub process: u64,
    /// Its number for the test.
    pub test: u32,
    pub patterns: Vec<u32>,
}

impl Pattern {
    /// The probes that were hit, ascending.
    pub fn hits(&self) -> impl Iterator<Item = u32> {
        let bits = |(at, byte): (usize, &u8)| {
            let (at, byte) = (at as u32, *byte);
            (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| at * 8 + bit)
        };
        self.bits.iter().enumerate().flat_map(bits)
    }
}

impl Traces {
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds what a process wrote, as far as it is whole.
    pub fn read(&mut self, process: u64, path: &Path) -> miette::Result<()> {
        let file = open_regular(path)
            .map_err(|error| file_error(format_args!("{} cannot be read", path.display()), &error))?;
        let size = file.metadata().map_or(0, |about| about.len());
        self.read_from(process, BufReader::new(file), size);
        Ok(())
    }

    pub fn read_from(&mut self, process: u64, mut file: impl Read, size: u64) {
        // Numbers of classes count within a file.
        let mut local = Vec::new();
        let mut payload = Vec::new();
        while let (Some(test), Some(length)) = (number(&mut file), number(&mut file)) {
            payload.clear();
            let whole = u64::from(length) <= size
                && file.by_ref().take(u64::from(length)).read_to_end(&mut payload).is_ok()
                && payload.len() == length as usize;
            if !whole {
                return;
            }
            self.cut |= test == FULL;
            let Some(patterns) = self.patterns_in(&payload, &mut local) else { return };
            if test != FULL {
                self.records.push(Record { process, test, patterns });
            }
        }
    }

    fn patterns_in(&mut self, mut payload: &[u8], local: &mut Vec<usize>) -> Option<Vec<u32>> {
        let mut patterns = Vec::new();
        while !payload.is_empty() {
            let place = number(&mut payload)? as usize;
            if place == local.len() {
                local.push(self.class(&mut payload)?);
            }
            let class = *local.get(place)?;
            let bytes = self.classes[class].probes.div_ceil(8) as usize;
            let (bits, rest) = payload.split_at_checked(bytes)?;
            payload = rest;
            patterns.push(self.pattern(Pattern { class, bits: bits.into() }));
        }
        Some(patterns)
    }

    fn class(&mut self, payload: &mut &[u8]) -> Option<usize> {
        let id = u64::from(number(payload)?) << 32 | u64::from(number(payload)?);
        let (length, rest) = payload.split_first_chunk::<2>()?;
        let (name, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        *payload = rest;
        let probes = number(payload).filter(|probes| *probes <= MOST_PROBES)?;
        if let Some(known) = self.places.get(&id) {
            return (self.classes[*known].probes == probes).then_some(*known);
        }
        self.places.insert(id, self.classes.len());
        self.classes.push(Class { id, name: String::from_utf8_lossy(name).into_owned(), probes });
        Some(self.classes.len() - 1)
    }

    fn pattern(&mut self, pattern: Pattern) -> u32 {
        if let Some(number) = self.known.get(&pattern) {
            return *number;
        }
        let number = self.patterns.len() as u32;
        self.patterns.push(pattern.clone());
        self.known.insert(pattern, number);
        number
    }
}

/// Four bytes, the highest first; `None` at the end.
fn number(from: &mut impl Read) -> Option<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes).ok()?;
    Some(u32::from_be_bytes(bytes))
}

/// The record that the protocol's table has for an example.
#[cfg(test)]
pub(super) fn protocol_example() -> Vec<u8> {
    let digits = crate::maven::protocol::table::lines_of("traces", "-").replace([' ', '\n'], "");
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(test: u32, payload: &[u8]) -> Vec<u8> {
        [&test.to_be_bytes()[..], &(payload.len() as u32).to_be_bytes(), payload].concat()
    }

    fn new_class(place: u32, id: u64, name: &str, probes: u32, bits: &[u8]) -> Vec<u8> {
        let length = (name.len() as u16).to_be_bytes();
        [&place.to_be_bytes()[..], &id.to_be_bytes(), &length, name.as_bytes(), &probes.to_be_bytes(), bits].concat()
    }

    fn seen(place: u32, bits: &[u8]) -> Vec<u8> {
        [&place.to_be_bytes()[..], bits].concat()
    }

    fn read(bytes: &[u8]) -> Traces {
        let mut traces = Traces::default();
        traces.read_from(7, bytes, bytes.len() as u64);
        traces
    }

    fn hits(traces: &Traces, record: usize) -> Vec<(String, Vec<u32>)> {
        let patterns = traces.records[record].patterns.iter().map(|number| &traces.patterns[*number as usize]);
        patterns.map(|pattern| (traces.classes[pattern.class].name.clone(), pattern.hits().collect())).collect()
    }

    fn example() -> Vec<u8> {
        let first = [new_class(0, 1 << 40, "a/B", 10, &[0b101, 0b10]), new_class(1, 2, "a/C", 1, &[1])].concat();
        [record(3, &first), record(4, &[]), record(5, &seen(0, &[0b101, 0b10]))].concat()
    }

    #[test]
    fn tests_have_the_probes_that_they_hit() {
        let traces = read(&example());
        assert_eq!(hits(&traces, 0), [("a/B".to_owned(), vec![0, 2, 9]), ("a/C".to_owned(), vec![0])]);
        assert_eq!((hits(&traces, 1).len(), hits(&traces, 2).len(), traces.patterns.len()), (0, 1, 2));
        let tests: Vec<_> = traces.records.iter().map(|record| (record.process, record.test)).collect();
        assert_eq!((tests, traces.cut), (vec![(7, 3), (7, 4), (7, 5)], false));
    }

    #[test]
    fn the_example_of_the_protocol_is_understood() {
        let traces = read(&protocol_example());
        assert_eq!(hits(&traces, 0), [("a/B".to_owned(), vec![0, 2, 9])]);
        assert_eq!(traces.classes, [Class { id: 1 << 40, name: "a/B".to_owned(), probes: 10 }]);
        assert_eq!((traces.records.len(), traces.records[0].test), (1, 3));
    }

    #[test]
    fn what_is_not_whole_ends_the_file() {
        let whole = example();
        assert_eq!(read(&whole[..whole.len() - 1]).records.len(), 2);
        let unknown = [record(1, &seen(4, &[1])), example()].concat();
        assert!(read(&unknown).records.is_empty());
        assert!(read(&[record(FULL, &[])].concat()).cut);
    }

    proptest! {
        #[test]
        fn no_file_breaks_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..80) {
            let mut file = example();
            let at = at.min(file.len());
            file.splice(at..at, bytes);
            read(&file);
        }
    }
}
