//! The files of what is known of a subject, below `knowledge/<subject>/` of the run folder. What is there is not found out again.

use std::path::PathBuf;

use miette::miette;
use serde::{Deserialize, Serialize};

use crate::csv_cells;
use crate::suite::{Change, Coverage, Dependency, TestId, dependency_file};
use crate::whole_file;

#[derive(Debug, Clone)]
pub(super) struct Files {
    folder: PathBuf,
}

/// A row of `durations.csv`, which has the tests in their original order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Duration {
    pub test: TestId,
    pub seconds: f64,
}

impl Files {
    /// Of the suite of this identity: what another one left is taken away.
    pub fn open(folder: PathBuf, identity: &str) -> miette::Result<Self> {
        let files = Files { folder };
        let place = files.at("suite");
        let same = whole_file::read(&place).is_ok_and(|known| known == identity);
        if !same {
            if files.folder.exists() {
                let failed = |error| miette!("{} could not be removed: {error}", files.folder.display());
                std::fs::remove_dir_all(&files.folder).map_err(failed)?;
            }
            whole_file::write_atomically(&place, identity.as_bytes())?;
        }
        Ok(files)
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn durations(&self) -> miette::Result<Option<Vec<Duration>>> {
        let path = self.at("durations.csv");
        if !path.exists() {
            return Ok(None);
        }
        let text = whole_file::read(&path)?;
        let rows = durations_of(&text).map_err(|error| miette!("{}: {error}", path.display()))?;
        Ok(Some(rows))
    }

    pub fn write_durations(&self, durations: &[Duration]) -> miette::Result<()> {
        let path = self.at("durations.csv");
        let failed = |error: &dyn std::fmt::Display| miette!("{} could not be written: {error}", path.display());
        let bytes = csv_cells::of_rows(durations).map_err(|error| failed(&error))?;
        whole_file::write_atomically(&path, &bytes)
    }

    pub fn coverage(&self) -> miette::Result<Option<Coverage>> {
        let path = self.at("coverage.json");
        if path.exists() { Coverage::load(&path).map(Some) } else { Ok(None) }
    }

    pub fn write_coverage(&self, coverage: &Coverage) -> miette::Result<()> {
        coverage.save(&self.at("coverage.json"))
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

fn durations_of(text: &str) -> csv::Result<Vec<Duration>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers()?.clone();
    let mut durations = Vec::new();
    for record in reader.records() {
        let cells: csv::StringRecord = record?.iter().map(csv_cells::read).collect();
        durations.push(cells.deserialize(Some(&heads))?);
    }
    Ok(durations)
}
