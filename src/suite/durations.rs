//! What tests take, from a table that somebody kept: CSV with the columns `test` and `seconds`, others besides.

use std::collections::HashMap;
use std::path::Path;

use miette::miette;
use serde::Deserialize;

use super::TestId;
use crate::whole_file;

/// Seconds by test: of several rows for one test, the mean.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Durations {
    tests: HashMap<TestId, Sum>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    seconds: f64,
    rows: u32,
}

#[derive(Deserialize)]
struct Row {
    test: TestId,
    seconds: f64,
}

impl Durations {
    pub fn load(path: &Path) -> miette::Result<Self> {
        let text = whole_file::read(path)?;
        Self::parse(&text).map_err(|error| {
            miette!(
                help = "a row is e.g. `shop.StockTest#fills,1.25`, below `test,seconds`",
                "{}: {error}",
                path.display()
            )
        })
    }

    pub(crate) fn parse(text: &str) -> miette::Result<Self> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let mut durations = Durations::default();
        for row in reader.deserialize() {
            let Row { test, seconds } = row.map_err(|error| miette!("{error}"))?;
            if !(seconds.is_finite() && seconds >= 0.0) {
                return Err(miette!("`{test}` takes {seconds}, which is no number of seconds from 0 on"));
            }
            let sum = durations.tests.entry(test).or_default();
            sum.seconds += seconds;
            sum.rows += 1;
        }
        Ok(durations)
    }

    pub fn of(&self, test: &TestId) -> Option<f64> {
        self.tests.get(test).map(|sum| sum.seconds / f64::from(sum.rows))
    }

    /// For a whole suite. A test that the table lacks is taken for an average one of those that it has.
    pub fn for_suite(&self, suite: &[TestId]) -> Vec<f64> {
        let known: Vec<f64> = suite.iter().filter_map(|test| self.of(test)).collect();
        let mean = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        suite.iter().map(|test| self.of(test).unwrap_or(mean)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> TestId {
        TestId::new("", "C", name, 1)
    }

    #[test]
    fn rows_of_one_test_are_averaged_and_a_new_test_is_an_average_one() {
        let durations = Durations::parse("run,test, seconds\n1,C#a,1\n2,C#a,3\n1,C#b,4\n1,C#gone,100\n").unwrap();
        assert_eq!(durations.of(&id("a")), Some(2.0));
        assert_eq!(durations.for_suite(&[id("a"), id("new"), id("b")]), [2.0, 3.0, 4.0]);
        assert_eq!(Durations::default().for_suite(&[id("a")]), [0.0]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, named) in [
            ("test,time\nC#a,1\n", "seconds"),
            ("test,seconds\nC#a,1\nC#b,x\n", "line: 3"),
            ("test,seconds\nC#a,-1\n", "C#a"),
            ("test,seconds\nC#a,inf\n", "C#a"),
            ("test,seconds\nC,1\n", "no `#`"),
            ("test,seconds\nC#a\n", "line: 2"),
        ] {
            let error = Durations::parse(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
