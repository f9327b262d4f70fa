//! What tests take, from a table that somebody kept: CSV with the columns `test` and `seconds`, others besides.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use miette::miette;

use super::{ParseIdError, TestId};
use crate::csv_cells;
use crate::whole_file;
use crate::wording::brief;

/// Seconds by test, in the order in which tests came first: of several rows for one test, the mean.
#[derive(Debug, Clone, Default)]
pub struct Durations {
    tests: Vec<(TestId, Sum)>,
    places: Places,
}

/// Where tests are in a list. Only their hashes are kept: a table of a million tests is read twice as fast.
#[derive(Debug, Clone, Default)]
struct Places {
    by_hash: HashMap<u64, usize>,
    hashing: RandomState,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    seconds: f64,
    rows: u32,
}

/// How the name in a row becomes a test.
type Naming = fn(&str) -> Result<TestId, ParseIdError>;

/// A method's name without parameters and numbers.
fn method(name: &str) -> &str {
    name.split(['(', '[', '{', '/', ' ']).next().unwrap_or(name)
}

impl Durations {
    pub fn load(path: &Path) -> miette::Result<Self> {
        Self::read(path, str::parse)
    }

    /// A table of anyone's: a name that is no test id is a test in a class of its own.
    pub fn load_any(path: &Path) -> miette::Result<Self> {
        Self::read(path, |name| Ok(name.parse().unwrap_or_else(|_| TestId::new("", name, name, 1))))
    }

    fn read(path: &Path, naming: Naming) -> miette::Result<Self> {
        let bytes = whole_file::read_bytes(path)?;
        text_of(&bytes).and_then(|text| Self::parse_with(&text, naming)).map_err(|error| {
            miette!(
                help = "a row is e.g. `shop.StockTest#fills,1.25`, below `test,seconds`",
                "{}: {error}",
                path.display()
            )
        })
    }

    pub fn parse(text: &str) -> miette::Result<Self> {
        Self::parse_with(text, str::parse)
    }

    fn parse_with(text: &str, naming: Naming) -> miette::Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(text.as_bytes());
        let columns = columns(reader.headers().map_err(|error| miette!("{error}"))?)?;
        let mut durations = Durations::default();
        let mut row = csv::StringRecord::new();
        while reader.read_record(&mut row).map_err(|error| miette!("{error}"))? {
            durations.add_row(&row, columns, naming)?;
        }
        Ok(durations)
    }

    fn add_row(&mut self, row: &csv::StringRecord, columns: [usize; 2], naming: Naming) -> miette::Result<()> {
        let cells = columns.map(|column| csv_cells::read(row.get(column).unwrap_or_default()));
        let [name, seconds] = [cells[0].trim(), cells[1].trim()];
        let line = || row.position().map_or(0, csv::Position::line);
        if name.is_empty() {
            return Err(miette!("line {}: the test has no name", line()));
        }
        let test = naming(name).map_err(|error| miette!("line {}: {error}", line()))?;
        let taken = seconds.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        let taken = taken.ok_or_else(|| {
            let (test, seconds) = (brief(name), brief(seconds));
            miette!("line {}: `{test}` takes `{seconds}`, which is not a number of seconds", line())
        })?;
        let sum = self.sum(test);
        sum.seconds += taken;
        sum.rows += 1;
        Ok(())
    }

    /// Of a suite, from what anyone measured of it: by the test's own id, else by class and method, in order. Reports name
    /// invocations and modules otherwise than parade does.
    pub fn of_suite(suite: &[TestId], measured: &[(TestId, f64)]) -> Self {
        let mut exact: HashMap<&TestId, f64> = HashMap::new();
        let mut by_method: HashMap<(&str, &str), VecDeque<&(TestId, f64)>> = HashMap::new();
        let known: HashSet<&TestId> = suite.iter().collect();
        for one in measured {
            if known.contains(&one.0) {
                exact.insert(&one.0, one.1);
            } else {
                by_method.entry((&one.0.class, method(&one.0.name))).or_default().push_back(one);
            }
        }
        let mut durations = Durations::default();
        for test in suite {
            let likely = || {
                let others = by_method.get_mut(&(test.class.as_str(), method(&test.name)))?;
                let same_module = others.iter().position(|(other, _)| other.module == test.module);
                others.remove(same_module.unwrap_or(0)).map(|(_, seconds)| *seconds)
            };
            if let Some(seconds) = exact.get(test).copied().or_else(likely) {
                *durations.sum(test.clone()) = Sum { seconds, rows: 1 };
            }
        }
        durations
    }

    /// The tests of the table in the order in which they came, with what each takes.
    pub fn into_suite(self) -> Vec<(TestId, f64)> {
        self.tests.into_iter().map(|(test, sum)| (test, sum.mean())).collect()
    }

    fn sum(&mut self, test: TestId) -> &mut Sum {
        let place = match self.places.find(&test, &self.tests) {
            Ok(place) => place,
            Err(hash) => {
                self.places.by_hash.insert(hash, self.tests.len());
                self.tests.push((test, Sum::default()));
                self.tests.len() - 1
            }
        };
        &mut self.tests[place].1
    }

    pub fn of(&self, test: &TestId) -> Option<f64> {
        self.places.find(test, &self.tests).ok().map(|place| self.tests[place].1.mean())
    }

    /// For a whole suite. A test that the table lacks is taken for an average one of those that it has.
    pub fn for_suite(&self, suite: &[TestId]) -> Vec<f64> {
        let known: Vec<f64> = suite.iter().filter_map(|test| self.of(test)).collect();
        let mean = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        suite.iter().map(|test| self.of(test).unwrap_or(mean)).collect()
    }
}

impl Places {
    /// The place of a test, or the hash under which it can be put. Tests of equal hashes lie side by side.
    fn find(&self, test: &TestId, tests: &[(TestId, Sum)]) -> Result<usize, u64> {
        let mut hash = self.hashing.hash_one(test);
        loop {
            match self.by_hash.get(&hash) {
                Some(place) if tests[*place].0 == *test => return Ok(*place),
                Some(_) => hash = hash.wrapping_add(1),
                None => return Err(hash),
            }
        }
    }
}

impl Sum {
    fn mean(&self) -> f64 {
        self.seconds / f64::from(self.rows)
    }
}

/// Spreadsheets write UTF-16 with a byte order mark, or the characters of a single country without any.
fn text_of(bytes: &[u8]) -> miette::Result<Cow<'_, str>> {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return Ok(encoding.decode(bytes).0);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        miette!("line {line} is not UTF-8: save the file as UTF-8")
    })?;
    Ok(Cow::Borrowed(text))
}

/// Where `test` and `seconds` are.
fn columns(header: &csv::StringRecord) -> miette::Result<[usize; 2]> {
    let place = |name: &str| {
        let found = header.iter().position(|column| column == name);
        found.ok_or_else(|| miette!("there is no column `{name}`"))
    };
    Ok([place("test")?, place("seconds")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_held_against_a_suite_by_method_and_order() {
        let id = |text: &str| text.parse::<TestId>().unwrap();
        let suite = ["lib:a.B#adds(int)", "lib:a.B#adds(int)~2", "lib:a.B#x", "lib:a.C#x"].map(id);
        let measured = vec![
            (TestId::new("lib/target", "a.B", "adds(int)[1]", 1), 1.0),
            (TestId::new("lib/target", "a.B", "adds(int)[2]", 1), 2.0),
            (id("lib:a.B#x"), 3.0),
            (id("a.D#other"), 9.0),
        ];
        let durations = Durations::of_suite(&suite, &measured);
        assert_eq!(suite.each_ref().map(|test| durations.of(test)), [Some(1.0), Some(2.0), Some(3.0), None]);
    }

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
    fn a_table_is_a_suite_in_its_own_order_and_names_can_be_anyones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("durations.csv");
        std::fs::write(&path, "\u{feff}test,seconds\nz.Z#b,2\nlogin page,1\nz.Z#a,3\nz.Z#b~1,4\n").unwrap();
        let suite = Durations::load_any(&path).unwrap().into_suite();
        let told: Vec<(String, f64)> = suite.iter().map(|(test, seconds)| (test.to_string(), *seconds)).collect();
        let expected = [("z.Z#b", 3.0), ("login page#login page", 1.0), ("z.Z#a", 3.0)];
        assert_eq!(told, expected.map(|(test, seconds)| (test.to_owned(), seconds)));
        assert!(Durations::load(&path).unwrap_err().to_string().contains("line 3"));
    }

    #[test]
    fn tables_come_in_other_encodings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("durations.csv");
        let wide: Vec<u8> = "\u{feff}test,seconds\nzwölf,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(&path, wide).unwrap();
        assert_eq!(Durations::load_any(&path).unwrap().into_suite()[0].0.name, "zwölf");
        std::fs::write(&path, b"test,seconds\na,1\nzw\xf6lf,2\n").unwrap();
        let error = Durations::load_any(&path).unwrap_err().to_string();
        assert!(error.contains("durations.csv: line 3 is not UTF-8"), "{error}");
        std::fs::write(&path, format!("test,seconds\n{},x\n", "n".repeat(200_000))).unwrap();
        let error = Durations::load_any(&path).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.len() < 400, "{}", error.len());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, named) in [
            ("test,time\nC#a,1\n", "seconds"),
            ("test,seconds\nC#a,1\nC#b,x\n", "line 3"),
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
