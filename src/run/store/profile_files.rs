//! The files of a subject's profile, below `knowledge/<subject>/` of the run folder: durations, coverage, changes,
//! dependencies. Durations and coverage are steps of the run: the journal has the hash of each file.

use std::path::PathBuf;

use miette::miette;
use serde::{Deserialize, Serialize};

use super::integrity::hash_file;
use super::record::{StepKind, StepRecord};
use super::{OpenRun, RunFolder};
use crate::csv_cells;
use crate::file_error::file_error;
use crate::suite::{Change, Coverage, Dependency, TestId, dependency_file};
use crate::whole_file;

#[derive(Debug, Clone)]
pub struct ProfileFiles {
    folder: PathBuf,
    subject: String,
    /// A fingerprint of everything that the profile depends on.
    identity: String,
}

/// A row of `durations.csv`, which has the tests in their original order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestDuration {
    pub test: TestId,
    pub seconds: f64,
}

/// A file of the profile that is a step of its own.
#[derive(Debug, Clone, Copy)]
enum Part {
    Durations,
    Coverage,
}

impl Part {
    fn file(self) -> &'static str {
        match self {
            Part::Durations => "durations.csv",
            Part::Coverage => "coverage.json",
        }
    }
}

/// The outcome of the step.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct WrittenFile {
    file: String,
    sha256: String,
}

impl ProfileFiles {
    /// Of the suite of this identity: what another one left is removed.
    pub fn open(folder: &RunFolder, subject: &str, identity: &str) -> miette::Result<Self> {
        let (subject, identity) = (subject.to_owned(), identity.to_owned());
        let files = ProfileFiles { folder: folder.knowledge(&subject), subject, identity };
        let place = files.at("suite");
        let same = whole_file::read(&place).is_ok_and(|known| known == files.identity);
        if !same {
            if files.folder.exists() {
                let failed =
                    |error| file_error(format_args!("{} could not be removed", files.folder.display()), &error);
                std::fs::remove_dir_all(&files.folder).map_err(failed)?;
            }
            whole_file::write_atomically(&place, files.identity.as_bytes())?;
        }
        Ok(files)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn step(&self, part: Part) -> String {
        format!("profile.{}.{}.{}", self.subject, part.file(), self.identity.chars().take(16).collect::<String>())
    }

    /// Was the part measured, and is the file what was written then? If not, it is measured again.
    fn is_on_record(&self, run: &OpenRun, part: Part) -> bool {
        let recorded = run.recorded().steps.get(&self.step(part)).and_then(StepRecord::outcome::<WrittenFile>);
        let now = hash_file(&self.at(part.file())).ok();
        recorded.is_some_and(|written| Some(written.sha256) == now)
    }

    fn record(&self, run: &mut OpenRun, part: Part) -> miette::Result<()> {
        let path = self.at(part.file());
        let sha256 = hash_file(&path).map_err(|error| file_error(format_args!("{}", path.display()), &error))?;
        let written = WrittenFile { file: format!("knowledge/{}/{}", self.subject, part.file()), sha256 };
        run.record_step(StepRecord::new(&self.step(part), StepKind::Profile, &self.subject, &written)?)
    }

    pub fn durations(&self, run: &OpenRun) -> miette::Result<Option<Vec<TestDuration>>> {
        if !self.is_on_record(run, Part::Durations) {
            return Ok(None);
        }
        let path = self.at(Part::Durations.file());
        let rows = durations_of(&whole_file::read(&path)?).map_err(|error| miette!("{}: {error}", path.display()))?;
        Ok(Some(rows))
    }

    pub fn write_durations(&self, run: &mut OpenRun, durations: &[TestDuration]) -> miette::Result<()> {
        let path = self.at(Part::Durations.file());
        let failed = |error: &dyn std::fmt::Display| miette!("{} could not be written: {error}", path.display());
        let bytes = csv_cells::of_rows(durations).map_err(|error| failed(&error))?;
        whole_file::write_atomically(&path, &bytes)?;
        self.record(run, Part::Durations)
    }

    pub fn coverage(&self, run: &OpenRun) -> miette::Result<Option<Coverage>> {
        let is_known = self.is_on_record(run, Part::Coverage);
        is_known.then(|| Coverage::load(&self.at(Part::Coverage.file()))).transpose()
    }

    pub fn write_coverage(&self, run: &mut OpenRun, coverage: &Coverage) -> miette::Result<()> {
        coverage.save(&self.at(Part::Coverage.file()))?;
        self.record(run, Part::Coverage)
    }

    pub fn write_change(&self, version: &str, change: &Change) -> miette::Result<()> {
        change.save(&self.at(&format!("changes-{version}.json")))
    }

    pub fn write_dependencies(&self, name: &str, dependencies: &[Dependency]) -> miette::Result<()> {
        let text = dependency_file::text(dependencies, &[])?;
        whole_file::write_atomically(&self.dependency_file(name), text.as_bytes())
    }

    fn dependency_file(&self, name: &str) -> PathBuf {
        self.at(&format!("dependencies-{name}.toml"))
    }
}

fn durations_of(text: &str) -> csv::Result<Vec<TestDuration>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers()?.clone();
    let mut durations = Vec::new();
    for record in reader.records() {
        let cells: csv::StringRecord = record?.iter().map(csv_cells::read).collect();
        durations.push(cells.deserialize(Some(&heads))?);
    }
    Ok(durations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{layout, locate};

    #[test]
    fn durations_are_measured_again_for_another_suite_and_after_the_file_was_changed() {
        let results = tempfile::tempdir().unwrap();
        let located = locate(results.path(), "e").unwrap();
        let folder = located.create(&layout::tests::manifest(), "", &Default::default()).unwrap();
        let mut run = OpenRun::open(folder.dir()).unwrap();
        let files = ProfileFiles::open(&folder, "s", "one").unwrap();
        let durations = vec![TestDuration { test: "C#a".parse().unwrap(), seconds: 1.5 }];
        assert_eq!(files.durations(&run).unwrap(), None);
        files.write_durations(&mut run, &durations).unwrap();
        assert_eq!(files.durations(&run).unwrap(), Some(durations.clone()));
        drop(run);
        let run = OpenRun::open(folder.dir()).unwrap();
        assert_eq!(ProfileFiles::open(&folder, "s", "one").unwrap().durations(&run).unwrap(), Some(durations));
        let path = folder.dir().join("knowledge/s/durations.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("1.5", "0.5")).unwrap();
        assert_eq!(files.durations(&run).unwrap(), None);
        assert_eq!(ProfileFiles::open(&folder, "s", "two").unwrap().durations(&run).unwrap(), None);
        assert!(!path.exists());
    }
}
