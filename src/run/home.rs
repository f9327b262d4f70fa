//! Where parade keeps what it can make again: clones, built worktrees, its Maven repository, the compiled JVM helper.

use std::path::{Path, PathBuf};

use miette::miette;

/// The cache folder: `PARADE_HOME`, else `$XDG_CACHE_HOME/parade`, else `~/.cache/parade`.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    pub fn find() -> miette::Result<Self> {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = set("PARADE_HOME")
            .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("parade")))
            .or_else(|| set("HOME").map(|dir| dir.join(".cache/parade")))
            .ok_or_else(|| miette!(help = "set PARADE_HOME to a folder", "no folder for parade's cache was found"))?;
        let root = std::path::absolute(&root).map_err(|error| miette!("{}: {error}", root.display()))?;
        // Links on the way are resolved once, before anything of a subject runs: later there must be none.
        Ok(Home { root: crate::folder_handle::without_links(&root) })
    }

    pub fn at(root: impl Into<PathBuf>) -> Self {
        Home { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Bare clones, one per url.
    pub fn repositories(&self) -> PathBuf {
        self.root.join("repositories")
    }

    /// Worktrees with their builds, one per subject and commit.
    pub fn worktrees(&self) -> PathBuf {
        self.root.join("worktrees")
    }

    /// The Maven repository that parade's own helper is built with. No subject is ever built with it.
    pub fn maven_repository(&self) -> PathBuf {
        self.root.join("helper-m2")
    }

    /// Maven repositories of subjects, one each.
    pub fn subject_maven_repositories(&self) -> PathBuf {
        self.root.join("subject-m2")
    }

    /// What the artifacts in Maven repositories were when they were downloaded.
    pub fn maven_seals(&self) -> PathBuf {
        self.root.join("m2-seals")
    }

    /// What parade and a build under way tell each other, one folder per start of Maven.
    pub fn exchange(&self) -> PathBuf {
        self.root.join("exchange")
    }

    /// Whether commits build and pass.
    pub fn versions(&self) -> PathBuf {
        self.root.join("versions")
    }

    /// Distributions of Maven that projects' wrappers downloaded.
    pub fn maven_distributions(&self) -> PathBuf {
        self.root.join("maven")
    }

    /// Which JDK each subject was built with, where the experiment left that open.
    pub fn jdk_choices(&self) -> PathBuf {
        self.root.join("jdk-choices")
    }

    /// Reports of `parade test`, where nobody says where they are to go; one folder per project.
    pub fn test_reports(&self) -> PathBuf {
        self.root.join("test-reports")
    }

    /// Results of commands that are not told where to put them.
    pub fn results(&self) -> PathBuf {
        self.root.join("results")
    }

    /// Logs of `parade test`, one folder per project.
    pub fn test_logs(&self) -> PathBuf {
        self.root.join("test-logs")
    }

    /// Shared archives of classes, for quick starts of the direct engine.
    pub fn class_archives(&self) -> PathBuf {
        self.root.join("class-archives")
    }

    /// Maven repositories of early versions, which nothing uses any more.
    pub fn former_maven_repositories(&self) -> [PathBuf; 2] {
        ["m2", "m2-of"].map(|name| self.root.join(name))
    }

    /// The JVM helper, one folder per content hash.
    pub fn jvm_helper(&self) -> PathBuf {
        self.root.join("jvm")
    }
}
