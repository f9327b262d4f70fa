//! How Surefire starts the test process of a goal, as the extension asked Surefire itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::line::Line;
use super::protocol::HandshakeKind;

/// What it takes to start a process like Surefire's, without Maven.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The program.
    pub java: PathBuf,
    /// Where it runs.
    pub folder: PathBuf,
    /// With late properties resolved; Surefire's own placeholders are still in it.
    pub arg_line: String,
    pub assertions: bool,
    /// False where each test class has a process of its own.
    pub reuse_forks: bool,
    /// In order: the tests' own, then what Surefire adds to run them, its own parts apart.
    pub class_path: Vec<PathBuf>,
    /// Where the modules' own classes are, those of tests apart.
    #[serde(default)]
    pub program: Vec<PathBuf>,
    /// System properties, in the order in which they are set.
    pub properties: Vec<(String, String)>,
    /// On top of the environment that Maven has.
    pub environment: BTreeMap<String, String>,
    /// Variables that the process does not inherit.
    pub without: Vec<String>,
    /// The classes that Surefire takes for tests, in the order in which it runs them.
    pub scanned: Vec<String>,
    /// What a process without Surefire does not have.
    pub notes: Vec<String>,
}

impl Launch {
    pub(super) fn begin(line: &Line) -> Option<Launch> {
        Some(Launch {
            java: line.text(1)?.into(),
            folder: line.text(2)?.into(),
            arg_line: line.text(3)?.to_owned(),
            assertions: line.text(4)? == "true",
            reuse_forks: line.text(5)? != "false",
            ..Launch::default()
        })
    }

    pub(super) fn take(&mut self, kind: HandshakeKind, line: &Line) -> Option<()> {
        let first = line.text(1)?.to_owned();
        match kind {
            HandshakeKind::Path => self.class_path.push(first.into()),
            HandshakeKind::Program => self.program.push(first.into()),
            HandshakeKind::Property => self.properties.push((first, line.text(2)?.to_owned())),
            HandshakeKind::Environment => drop(self.environment.insert(first, line.text(2)?.to_owned())),
            HandshakeKind::Without => self.without.push(first),
            HandshakeKind::Scanned => self.scanned.push(first),
            HandshakeKind::Note => self.notes.push(first),
            _ => return None,
        }
        Some(())
    }
}
