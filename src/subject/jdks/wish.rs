//! What an experiment or a command line asks for: a JDK by its version, or by its folder.

use std::path::{Path, PathBuf};

use miette::miette;
use serde::Serialize;

use super::version::numbers;
use super::{Jdk, Jdks, VARIABLE, jdks};

/// A JDK that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JdkWish {
    /// As it was written: the same on every machine.
    pub written: String,
    kind: Kind,
    /// Who asked, where that was not the user: it is no part of what is asked for.
    #[serde(skip)]
    because: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
enum Kind {
    /// The first numbers of its version.
    Version(Vec<u32>),
    Home(PathBuf),
}

/// A wish that this machine fulfils; relative paths start at the folder. For `--jdk`, and for whoever else asks.
pub fn asked_jdk(written: &str, folder: &Path) -> miette::Result<JdkWish> {
    let wish = JdkWish::parse(written, folder)?;
    wish.choose(jdks())?;
    Ok(wish)
}

impl JdkWish {
    /// `8`, `17.0.2`, or a path, which is what has a `/` in it or begins with a dot.
    pub fn parse(written: &str, folder: &Path) -> miette::Result<JdkWish> {
        let is_path = written.contains('/') || written.starts_with('.');
        let kind = if is_path && !written.contains('\0') {
            Some(Kind::Home(folder.join(written)))
        } else {
            whole_numbers(written).map(Kind::Version)
        };
        let kind = kind.ok_or_else(|| {
            miette!(
                help =
                    "write a version such as \"8\", \"17\" or \"17.0.2\", or the path of a JDK such as \"/opt/jdk-17\"",
                "`{}` is neither a Java version nor a path",
                written.chars().filter(|c| !c.is_control()).take(60).collect::<String>()
            )
        })?;
        Ok(JdkWish { written: written.to_owned(), kind, because: None })
    }

    /// For this reason, and not as the user asked.
    pub fn because(self, why: &'static str) -> JdkWish {
        JdkWish { because: Some(why), ..self }
    }

    pub fn is_met_by(&self, jdk: &Jdk) -> bool {
        match &self.kind {
            Kind::Version(wanted) => jdk.version.begins_with(wanted),
            Kind::Home(home) => home.canonicalize().is_ok_and(|home| home == jdk.home),
        }
    }

    /// The newest that is meant; an error names what there is.
    pub fn choose(&self, jdks: &Jdks) -> miette::Result<Jdk> {
        if let Some(jdk) = jdks.found.iter().find(|jdk| self.is_met_by(jdk)) {
            return Ok(jdk.clone());
        }
        let help = format!(
            "this machine has: {}. Install the missing JDK, or name its folder in {VARIABLE}; `parade doctor` lists \
             all JDKs",
            jdks.listed()
        );
        match &self.kind {
            Kind::Home(home) => {
                Jdk::at(home).map_err(|why| miette!(help = help, "`{}` is not a JDK: {why}", self.written))
            }
            Kind::Version(_) => Err(miette!(help = help, "this machine has no JDK {}", self.written)),
        }
    }

    /// Why the one that was chosen was, in words.
    pub(in crate::subject) fn reason(&self, jdks: &Jdks) -> String {
        if let Some(why) = self.because {
            return why.to_owned();
        }
        let matching = jdks.found.iter().filter(|jdk| self.is_met_by(jdk)).count();
        match (&self.kind, matching) {
            (Kind::Version(_), 2..) => format!("{} was requested; the newest of {matching}", self.written),
            _ => format!("{} was requested", self.written),
        }
    }
}

/// Digits, dots and underscores only: `8`, `1.8`, `17.0.2`, `1.8.0_392`.
fn whole_numbers(written: &str) -> Option<Vec<u32>> {
    let plain = written.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '_' | '+'));
    numbers(written).filter(|_| plain)
}
