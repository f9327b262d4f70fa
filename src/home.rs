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
            .ok_or_else(|| miette!(help = "set PARADE_HOME to a folder", "there is no folder for parade's cache"))?;
        let root = std::path::absolute(&root).map_err(|error| miette!("{}: {error}", root.display()))?;
        Ok(Home { root })
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

    /// The Maven repository that subjects are built with.
    pub fn maven_repository(&self) -> PathBuf {
        self.root.join("m2")
    }

    /// That of subjects which run as another user, who has to be able to write it.
    pub fn maven_repository_of(&self, user: &str) -> PathBuf {
        self.root.join("m2-of").join(user)
    }

    /// Which JDK each subject was built with, where the experiment left that open.
    /// Whether commits build and pass.
    pub fn versions(&self) -> PathBuf {
        self.root.join("versions")
    }

    pub fn jdk_choices(&self) -> PathBuf {
        self.root.join("jdk-choices")
    }

    /// Logs of `parade test`, one folder per project.
    pub fn test_logs(&self) -> PathBuf {
        self.root.join("test-logs")
    }

    /// The JVM helper, one folder per content hash.
    pub fn jvm_helper(&self) -> PathBuf {
        self.root.join("jvm")
    }
}
