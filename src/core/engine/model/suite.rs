//! The model suite's file.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use miette::miette;

use super::suite_file;
use crate::suite::{Accesses, Change, ClassId, Coverage, Element, MethodLines, TestId};
use crate::toml_file::Mistakes;

/// A test's name takes many times its bytes in memory, once for each relation.
const LARGEST: usize = 32 << 20;

/// Tests in their original order.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSuite {
    /// What every run costs before its first test starts, in seconds.
    pub startup: f64,
    pub tests: Vec<ModelTest>,
    /// The methods of the program under test, with their lines.
    pub methods: Vec<MethodLines>,
    /// What has changed in it, for techniques that select.
    pub changes: Option<Change>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ModelTest {
    pub id: TestId,
    pub seconds: f64,
    /// Tests that must have finished earlier in the same process, all of them.
    pub needs: Vec<TestId>,
    /// Tests that must not have finished earlier in the same process …
    pub polluted_by: Vec<TestId>,
    /// … unless one of these has since.
    pub cleaned_by: Vec<TestId>,
    /// Tests that must not run at the same time in the same process.
    pub races_with: Vec<TestId>,
    /// The chance that it fails for no reason.
    pub flaky: f64,
    /// It works for so many seconds and then waits for ever.
    pub hangs_after: Option<f64>,
    /// It ends its process after so many seconds.
    pub exits_after: Option<f64>,
    /// Lines and methods of the program under test.
    pub covers: Option<Vec<Element>>,
    /// What it shares with others, by names of your choice, and reads before it writes it.
    pub reads: Option<Vec<String>>,
    pub writes: Option<Vec<String>>,
    /// What it needs of its own class is kept in an instance that the class's tests share: it is lost once the class is entered again.
    pub per_class_instance: bool,
    /// Its class declares the order of its tests, which is that of the file: out of that order the class is entered again.
    pub declared_order: bool,
    /// What it does instead of failing, whatever makes it fail: something is missing, a polluter, a race or chance.
    pub fails_by: Option<FailsBy>,
}

/// How a test can break down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailsBy {
    Hanging,
    Exiting,
}

impl ModelSuite {
    /// All mistakes of the file come back at once.
    pub fn load(path: &Path) -> miette::Result<Self> {
        let text = crate::whole_file::read(path)?;
        if text.len() > LARGEST {
            let help =
                "a relation has to be written once for each test that has it; split the suite, or leave out relations";
            return Err(miette!(
                help = help,
                "{} is larger than {} MiB, the most that parade reads of a model suite",
                path.display(),
                LARGEST >> 20
            ));
        }
        Ok(suite_file::read(&text, &path.display().to_string())?)
    }

    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        suite_file::read(text, "the model suite")
    }

    /// What its tests cover, where any of them says so.
    pub fn coverage(&self) -> miette::Result<Option<Coverage>> {
        let said = self.tests.iter().filter_map(|test| Some((test.id.clone(), test.covers.clone()?)));
        let said: Vec<(TestId, Vec<Element>)> = said.collect();
        (!said.is_empty()).then(|| Coverage::new(&self.methods, said)).transpose()
    }

    /// The classes that declare the order of their tests.
    pub fn declared_orders(&self) -> HashSet<ClassId> {
        self.tests.iter().filter(|test| test.declared_order).map(|test| test.id.class_id()).collect()
    }

    /// Is a test broken after these?
    pub(super) fn is_broken(&self, test: usize, before: &[usize]) -> bool {
        let ids: Vec<&TestId> = before.iter().map(|earlier| &self.tests[*earlier].id).collect();
        self.tests[test].is_broken(&ids, self.instance_length(test, before))
    }

    /// Of the tests before this one, how many at their end ran on the same instance of its class.
    fn instance_length(&self, test: usize, before: &[usize]) -> usize {
        let class = self.tests[test].id.class_id();
        let is_ordered = self.tests[test].declared_order;
        let mut next = test;
        let mut length = 0;
        for earlier in before.iter().rev() {
            if self.tests[*earlier].id.class_id() != class || is_ordered && *earlier > next {
                break;
            }
            (next, length) = (*earlier, length + 1);
        }
        length
    }

    /// Does any of its tests say what it shares?
    pub(super) fn tells_accesses(&self) -> bool {
        self.tests.iter().any(|test| test.reads.is_some() || test.writes.is_some())
    }
}

impl ModelTest {
    /// What it shares: nothing, where the file says nothing.
    pub(super) fn accesses(&self) -> Accesses {
        let sorted = |names: &Option<Vec<String>>| -> Vec<String> {
            let names: BTreeSet<&String> = names.iter().flatten().collect();
            names.into_iter().cloned().collect()
        };
        Accesses { test: self.id.clone(), reads: sorted(&self.reads), writes: sorted(&self.writes) }
    }

    /// After these, is something missing, or the last polluter later than the last cleaner? The last so many of them ran on the same
    /// instance of its class.
    fn is_broken(&self, before: &[&TestId], instance_length: usize) -> bool {
        let last = |of: &[TestId]| before.iter().rposition(|earlier| of.contains(earlier));
        let polluted = match (last(&self.polluted_by), last(&self.cleaned_by)) {
            (Some(polluter), Some(cleaner)) => polluter > cleaner,
            (polluter, _) => polluter.is_some(),
        };
        let is_own = |needed: &TestId| self.per_class_instance && needed.class_id() == self.id.class_id();
        let instance = before.len() - instance_length;
        let is_there = |needed: &TestId| before[if is_own(needed) { instance } else { 0 }..].contains(&needed);
        polluted || !self.needs.iter().all(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Unit;

    #[test]
    fn a_model_suite_without_end_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("suite.toml");
        std::fs::File::create(&path).unwrap().set_len(LARGEST as u64 + 1).unwrap();
        let error = ModelSuite::load(&path).unwrap_err();
        assert!(error.to_string().contains("suite.toml is larger than 32 MiB"), "{error}");
        assert!(error.help().is_some());
    }

    #[test]
    fn coverage_and_changes_can_be_declared() {
        let suite = ModelSuite::parse(
            "[[method]]\nname='B#m()'\nlines='B.java:1-9'\n[changes]\nmodified=['B.java:2']\n\
             [[test]]\nid='C#a'\ncovers=['B.java:2-3']\n[[test]]\nid='C#b'\n",
        );
        let suite = suite.unwrap();
        let coverage = suite.coverage().unwrap().unwrap();
        let (a, b) = (&suite.tests[0].id, &suite.tests[1].id);
        assert_eq!((coverage.of(a, Unit::Statement).len(), coverage.of(a, Unit::Method).len()), (2, 1));
        assert!(!coverage.knows(b) && suite.changes.is_some());
        assert_eq!(ModelSuite::parse("[[test]]\nid='C#a'\n").unwrap().coverage().unwrap(), None);
    }
}
