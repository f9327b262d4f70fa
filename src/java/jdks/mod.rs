//! The JDKs of this machine: found where people keep them, told apart by their real path, newest first.
//!
//! An entry that leads nowhere or has no compiler is passed over with a note. Nothing is run but `javac -version`, and
//! that only where no file tells the version. Which one a subject gets is decided elsewhere.

mod examine;
pub mod maven_toolchains;
mod of_maven;
mod places;
mod version;
mod wish;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Serialize;

pub use of_maven::{MavenJdk, maven_jdk};
pub use version::Version;
pub use wish::asked_jdk;

/// A folder, or a list of folders, of JDKs that parade would not find by itself.
pub(super) const VARIABLE: &str = "PARADE_JDKS";

/// Longer lists of JDKs in messages are cut.
const LISTED: usize = 12;

/// One JDK.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Jdk {
    /// Without links in it.
    pub home: PathBuf,
    pub version: Version,
    /// As its release file has it.
    pub vendor: Option<String>,
    /// Every way that led to it, e.g. `JAVA_HOME`, `SDKMAN!`.
    pub found_by: Vec<String>,
}

/// All that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Jdks {
    /// Newest first.
    pub found: Vec<Jdk>,
    /// What was passed over, and why.
    pub notes: Vec<String>,
}

/// Where to look.
#[derive(Debug, Default)]
struct Surroundings {
    variables: BTreeMap<String, OsString>,
    /// Where packages of the system put their JDKs.
    system: PathBuf,
}

/// Those of this machine, looked for once.
pub fn jdks() -> &'static Jdks {
    static HERE: OnceLock<Jdks> = OnceLock::new();
    HERE.get_or_init(|| {
        let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let variables = named.filter(|(_, value)| !value.is_empty()).collect();
        Jdks::find(&Surroundings { variables, system: "/usr/lib/jvm".into() })
    })
}

impl Jdk {
    /// The JDK in a folder; an error says why there is none.
    pub fn at(folder: &Path) -> Result<Jdk, String> {
        examine::examine(folder)
    }

    pub fn major(&self) -> u32 {
        self.version.major()
    }
}

impl Jdks {
    fn find(surroundings: &Surroundings) -> Jdks {
        let mut jdks = Jdks::default();
        let (candidates, notes) = places::candidates(surroundings);
        jdks.notes = notes;
        for candidate in candidates {
            jdks.add(&candidate);
        }
        // Of equal versions, the one that was found first stays first.
        jdks.found.sort_by(|a, b| b.version.cmp(&a.version));
        jdks
    }

    fn add(&mut self, candidate: &places::Candidate) {
        let real = candidate.path.canonicalize();
        let known = self.found.iter_mut().find(|jdk| real.as_ref().is_ok_and(|real| *real == jdk.home));
        if let Some(known) = known {
            if !known.found_by.contains(&candidate.found_by) {
                known.found_by.push(candidate.found_by.clone());
            }
            return;
        }
        match Jdk::at(&candidate.path) {
            Ok(mut jdk) => {
                jdk.found_by.push(candidate.found_by.clone());
                self.found.push(jdk);
            }
            Err(why) => self.notes.push(format!("{} ({}): {why}", candidate.path.display(), candidate.found_by)),
        }
    }

    /// What is taken where nobody asks for another and everything builds with it.
    pub fn newest(&self) -> Option<&Jdk> {
        self.found.first()
    }

    /// For what has to be compiled at level 8, whatever else is there: new compilers give old levels up one by one.
    pub fn oldest_modern(&self) -> Option<&Jdk> {
        self.found.iter().rev().find(|jdk| jdk.major() >= 11).or(self.newest())
    }

    /// For messages.
    pub fn listed(&self) -> String {
        let shown: Vec<String> = self.found.iter().take(LISTED).map(|jdk| jdk.version.to_string()).collect();
        let more = self.found.len().saturating_sub(LISTED);
        match (shown.is_empty(), more) {
            (true, _) => "none".to_owned(),
            (false, 0) => shown.join(", "),
            (false, more) => format!("{} and {more} more", shown.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests;
