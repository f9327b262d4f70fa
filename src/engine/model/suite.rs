//! The model suite's file.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use miette::miette;
use serde::Deserialize;

use crate::suite::{Accesses, Change, ClassId, Coverage, Element, MethodLines, TestId};

/// Tests in their original order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSuite {
    /// What every run costs before its first test starts, in seconds.
    #[serde(default)]
    pub startup: f64,
    #[serde(rename = "test", default)]
    pub tests: Vec<ModelTest>,
    /// The methods of the program under test, with their lines.
    #[serde(rename = "method", default)]
    pub methods: Vec<MethodLines>,
    /// What has changed in it, for techniques that select.
    pub changes: Option<Change>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelTest {
    pub id: TestId,
    #[serde(default)]
    pub seconds: f64,
    /// Tests that must have finished earlier in the same process, all of them.
    #[serde(default)]
    pub needs: Vec<TestId>,
    /// Tests that must not have finished earlier in the same process …
    #[serde(default)]
    pub polluted_by: Vec<TestId>,
    /// … unless one of these has since.
    #[serde(default)]
    pub cleaned_by: Vec<TestId>,
    /// Tests that must not run at the same time in the same process.
    #[serde(default)]
    pub races_with: Vec<TestId>,
    /// The chance that it fails for no reason.
    #[serde(default)]
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
    #[serde(default)]
    pub per_class_instance: bool,
    /// Its class declares the order of its tests, which is that of the file: out of that order the class is entered again.
    #[serde(default)]
    pub declared_order: bool,
    /// What it does, other than to fail, when something that it needs is missing or it is polluted.
    pub fails_by: Option<FailsBy>,
}

/// How a test can break down in an order that is not for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailsBy {
    Hanging,
    Exiting,
}

impl ModelSuite {
    pub fn load(path: &Path) -> miette::Result<Self> {
        let text = crate::whole_file::read(path)?;
        Self::parse(&text).map_err(|error| miette!("{}: {error}", path.display()))
    }

    pub fn parse(text: &str) -> miette::Result<Self> {
        let suite: ModelSuite = toml::from_str(text).map_err(|error| miette!("not a model suite: {error}"))?;
        suite.check()?;
        Ok(suite)
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

    /// Does any of its tests say what it shares?
    pub(super) fn tells_accesses(&self) -> bool {
        self.tests.iter().any(|test| test.reads.is_some() || test.writes.is_some())
    }

    fn check(&self) -> miette::Result<()> {
        let mut known = HashSet::new();
        if let Some(twice) = self.tests.iter().find(|test| !known.insert(&test.id)) {
            return Err(miette!(
                help = "give the second one an occurrence, as in `C#name~2`",
                "the test `{}` is declared twice",
                twice.id
            ));
        }
        self.tests.iter().try_for_each(|test| test.check(&known))?;
        is_duration(self.startup)
            .then_some(())
            .ok_or_else(|| miette!("`startup` must be a number of seconds, not below 0"))
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
    pub(super) fn is_broken(&self, before: &[&TestId], instance_length: usize) -> bool {
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

    fn check(&self, known: &HashSet<&TestId>) -> miette::Result<()> {
        let named = [&self.needs, &self.polluted_by, &self.cleaned_by, &self.races_with].into_iter().flatten();
        if let Some(unknown) = named.into_iter().find(|test| !known.contains(test)) {
            return Err(miette!("`{}` names `{unknown}`, which is not in the suite", self.id));
        }
        let durations = [Some(self.seconds), self.hangs_after, self.exits_after];
        if !durations.into_iter().flatten().all(is_duration) {
            return Err(miette!("`{}`: times must be numbers of seconds, not below 0", self.id));
        }
        if !(0.0..=1.0).contains(&self.flaky) {
            return Err(miette!("`{}`: `flaky` must be a probability between 0 and 1", self.id));
        }
        Ok(())
    }
}

fn is_duration(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Unit;

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

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("[[test]]\nid='C#a'\n[[test]]\nid='C#a'\n", "twice"),
            ("[[test]]\nid='C#a'\nneeds=['C#b']\n", "C#b"),
            ("[[test]]\nid='C#a'\nseconds=-1\n", "below 0"),
            ("[[test]]\nid='C#a'\nflaky=2\n", "between 0 and 1"),
            ("[[test]]\nid='C#a'\nsecnods=1\n", "secnods"),
            ("[[test]]\nid='a'\n", "test id"),
            ("[[test]]\nid='C#a'\ncovers=['B.java']\n", "B.java"),
        ] {
            let error = ModelSuite::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
