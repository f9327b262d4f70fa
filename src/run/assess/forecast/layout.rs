//! A suite as pieces of work, laid out on threads as a way has it.

use std::collections::HashMap;

use crate::assess::parallel_mode::ParallelMode;
use crate::suite::TestId;
use crate::technique::parallelize::{nanoseconds, pool};

/// Tests in the order in which they ran, with what each took alone; and what classes cost besides.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    tests: Vec<(TestId, f64)>,
    /// Positions by class, in the order in which classes came.
    classes: Vec<Vec<usize>>,
    /// Fixtures and the like: what lies between tests, by class.
    class_cost: f64,
}

/// Something that cannot be divided.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub name: String,
    pub seconds: f64,
}

impl Suite {
    /// `test_seconds`: from the first start to the last end.
    pub fn of(tests: Vec<(TestId, f64)>, test_seconds: f64) -> Self {
        let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for (position, (test, _)) in tests.iter().enumerate() {
            let next = classes.len();
            let class = *numbers.entry((&test.module, &test.class)).or_insert(next);
            if class == next {
                classes.push(Vec::new());
            }
            classes[class].push(position);
        }
        let between = (test_seconds - tests.iter().map(|(_, seconds)| seconds).sum::<f64>()).max(0.0);
        let class_cost = between / classes.len().max(1) as f64;
        Suite { tests, classes, class_cost }
    }

    pub fn tests(&self) -> Vec<(TestId, f64)> {
        self.tests.clone()
    }

    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// How long the tests take on so many threads, processes or modules.
    pub fn makespan(&self, way: ParallelMode, width: usize) -> f64 {
        match way {
            // Surefire finishes a class before it begins the next.
            ParallelMode::Methods => self.classes.iter().map(|class| self.class_on(class, width)).sum(),
            _ => on(&self.pieces(way).into_iter().map(|piece| piece.seconds).collect::<Vec<_>>(), width),
        }
    }

    /// The tests of one class at the same time.
    fn class_on(&self, class: &[usize], width: usize) -> f64 {
        self.class_cost + on(&class.iter().map(|test| self.tests[*test].1).collect::<Vec<_>>(), width)
    }

    /// What a thread takes at a time.
    pub fn pieces(&self, way: ParallelMode) -> Vec<Piece> {
        match way {
            ParallelMode::Methods | ParallelMode::ClassesAndMethods => self.single_tests(),
            ParallelMode::Modules => self.modules(),
            ParallelMode::Classes | ParallelMode::Forks | ParallelMode::Project => {
                let piece =
                    |class: &Vec<usize>| Piece { name: self.class_name(class), seconds: self.class_seconds(class) };
                self.classes.iter().map(piece).collect()
            }
        }
    }

    fn single_tests(&self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.tests.len());
        for class in &self.classes {
            for (place, test) in class.iter().enumerate() {
                let first = if place == 0 { self.class_cost } else { 0.0 };
                let (id, seconds) = &self.tests[*test];
                pieces.push(Piece { name: id.to_string(), seconds: seconds + first });
            }
        }
        pieces
    }

    fn modules(&self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for class in &self.classes {
            let module = &self.tests[class[0]].0.module;
            match pieces.iter_mut().find(|piece| piece.name == *module) {
                Some(piece) => piece.seconds += self.class_seconds(class),
                None => pieces.push(Piece { name: module.clone(), seconds: self.class_seconds(class) }),
            }
        }
        pieces
    }

    pub(super) fn class_name(&self, class: &[usize]) -> String {
        class.first().map(|test| self.tests[*test].0.class_id().to_string()).unwrap_or_default()
    }

    fn class_seconds(&self, class: &[usize]) -> f64 {
        self.class_cost + class.iter().map(|test| self.tests[*test].1).sum::<f64>()
    }

    /// The piece that no number of threads makes shorter.
    pub fn longest(&self, way: ParallelMode) -> Piece {
        if way == ParallelMode::Methods {
            let least = self.classes.iter().map(|class| self.class_on(class, class.len())).sum();
            return Piece {
                name: "the longest test of each class, summed over the classes".to_owned(),
                seconds: least,
            };
        }
        let longest = self.pieces(way).into_iter().reduce(|a, b| if b.seconds > a.seconds { b } else { a });
        longest.unwrap_or(Piece { name: String::new(), seconds: 0.0 })
    }

    /// What no number of machines makes shorter.
    pub fn longest_test(&self) -> Piece {
        let longest = self.tests.iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
        longest.map_or(Piece { name: String::new(), seconds: 0.0 }, |(test, seconds)| Piece {
            name: test.to_string(),
            seconds: *seconds,
        })
    }

    /// The same suite with every test of a class as a class of its own.
    pub(super) fn with_split(&self, class: usize) -> Suite {
        let mut split = self.clone();
        let tests = std::mem::take(&mut split.classes[class]);
        split.classes.splice(class..=class, tests.into_iter().map(|test| vec![test]));
        split
    }

    /// The same suite with a test that takes half as long.
    pub(super) fn with_faster(&self, test: usize) -> Suite {
        let mut faster = self.clone();
        faster.tests[test].1 /= 2.0;
        faster
    }

    /// Classes of several tests, the longest first.
    pub(super) fn long_classes(&self, most: usize) -> Vec<usize> {
        let mut classes: Vec<usize> = (0..self.classes.len()).filter(|class| self.classes[*class].len() > 1).collect();
        classes.sort_by(|a, b| self.class_seconds(&self.classes[*b]).total_cmp(&self.class_seconds(&self.classes[*a])));
        classes.truncate(most);
        classes
    }

    pub(super) fn class(&self, class: usize) -> Piece {
        let tests = &self.classes[class];
        Piece { name: self.class_name(tests), seconds: self.class_seconds(tests) }
    }

    pub(super) fn long_tests(&self, most: usize) -> Vec<usize> {
        let mut tests: Vec<usize> = (0..self.tests.len()).collect();
        tests.sort_by(|a, b| self.tests[*b].1.total_cmp(&self.tests[*a].1));
        tests.truncate(most);
        tests
    }

    pub(super) fn test(&self, test: usize) -> Piece {
        let (id, seconds) = &self.tests[test];
        Piece { name: id.to_string(), seconds: *seconds }
    }
}

/// Pieces taken in order by so many threads, in seconds.
fn on(pieces: &[f64], width: usize) -> f64 {
    let work: Vec<u64> = pieces.iter().map(|seconds| nanoseconds(*seconds)).collect();
    std::time::Duration::from_nanos(pool::in_order(&work, width.max(1)).end).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        let test = |module: &str, class: &str, name: &str, seconds| (TestId::new(module, class, name, 1), seconds);
        let tests = vec![
            test("m", "A", "a", 3.0),
            test("m", "A", "b", 1.0),
            test("n", "B", "a", 2.0),
            test("n", "B", "b", 2.0),
        ];
        Suite::of(tests, 9.0)
    }

    #[test]
    fn every_way_divides_the_suite_differently() {
        let suite = suite();
        let at = |way, width| suite.makespan(way, width);
        assert_eq!(
            [at(ParallelMode::Classes, 1), at(ParallelMode::Methods, 1), at(ParallelMode::ClassesAndMethods, 1)],
            [9.0; 3]
        );
        assert_eq!([at(ParallelMode::Classes, 2), at(ParallelMode::Forks, 2), at(ParallelMode::Modules, 2)], [4.5; 3]);
        assert_eq!((at(ParallelMode::Methods, 2), at(ParallelMode::ClassesAndMethods, 2)), (6.0, 5.5));
        assert_eq!(
            (suite.longest(ParallelMode::Classes).seconds, suite.longest(ParallelMode::ClassesAndMethods).seconds),
            (4.5, 3.5)
        );
        assert_eq!(suite.longest(ParallelMode::Methods).seconds, at(ParallelMode::Methods, 100));
    }

    #[test]
    fn a_split_class_is_taken_test_by_test() {
        let split = suite().with_split(0);
        assert_eq!((split.classes.len(), split.longest(ParallelMode::Classes).name.as_str()), (3, "n:B"));
    }
}
