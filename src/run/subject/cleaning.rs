//! What parade's cache holds, by kind, and freeing it. Everything there can be made again, but for results and reports: those go
//! only where that is asked for. What a run is using stays.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use miette::{Result, miette};
use serde::Serialize;

use super::snapshot;
use crate::file_error::file_error;
use crate::folders;
use crate::home::Home;

/// What an entry of the cache is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    Clones,
    Builds,
    MavenRepositories,
    Maven,
    Helper,
    Logs,
    Records,
    Reports,
    Results,
    Other,
}

impl CacheKind {
    pub fn name(self) -> &'static str {
        match self {
            CacheKind::Clones => "clones of repositories",
            CacheKind::Builds => "copies of projects with their builds",
            CacheKind::MavenRepositories => "Maven repositories",
            CacheKind::Maven => "Maven distributions of wrappers",
            CacheKind::Helper => "JVM helper and class archives",
            CacheKind::Logs => "logs",
            CacheKind::Records => "records of JDKs and versions",
            CacheKind::Reports => "reports of `parade test`",
            CacheKind::Results => "results of `parade detect` and `parade assess`",
            CacheKind::Other => "other files, not of this parade",
        }
    }

    /// Can parade make it again?
    pub fn is_replaceable(self) -> bool {
        !matches!(self, CacheKind::Reports | CacheKind::Results | CacheKind::Other)
    }
}

/// Something that is freed as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheEntry {
    pub kind: CacheKind,
    pub path: PathBuf,
    pub bytes: u64,
    /// When it was last changed.
    #[serde(skip)]
    pub used: Option<SystemTime>,
    /// Does a parade that runs now hold it?
    pub in_use: bool,
}

/// All that is in the cache; entries of one kind together.
pub fn cache_entries(home: &Home) -> Result<Vec<CacheEntry>> {
    let mut entries = Vec::new();
    let each = [
        (home.repositories(), CacheKind::Clones),
        (home.worktrees(), CacheKind::Builds),
        (home.subject_maven_repositories(), CacheKind::MavenRepositories),
        (home.maven_distributions(), CacheKind::Maven),
        (home.test_logs(), CacheKind::Logs),
        (home.test_reports(), CacheKind::Reports),
        (home.results(), CacheKind::Results),
    ];
    for (folder, kind) in &each {
        for path in entries_in(folder)? {
            // A lock stays: somebody may be waiting for it.
            if path.extension().is_none_or(|extension| extension != "lock") {
                entries.push(entry(*kind, path));
            }
        }
    }
    let [former, former_of_subjects] = home.former_maven_repositories();
    let whole = [
        (home.maven_repository(), CacheKind::MavenRepositories),
        (former, CacheKind::MavenRepositories),
        (former_of_subjects, CacheKind::MavenRepositories),
        (home.maven_seals(), CacheKind::MavenRepositories),
        (home.jvm_helper(), CacheKind::Helper),
        (home.class_archives(), CacheKind::Helper),
        (home.exchange(), CacheKind::Logs),
        (home.jdk_choices(), CacheKind::Records),
        (home.versions(), CacheKind::Records),
    ];
    for (folder, kind) in &whole {
        if folder.exists() {
            entries.push(entry(*kind, folder.clone()));
        }
    }
    let known: Vec<&PathBuf> = each.iter().chain(&whole).map(|(folder, _)| folder).collect();
    for path in entries_in(home.root())?.into_iter().filter(|path| !known.contains(&path)) {
        entries.push(entry(CacheKind::Other, path));
    }
    // What has no lock of its own is used by whoever uses a build.
    let busy = entries.iter().any(|entry| entry.in_use);
    for entry in &mut entries {
        entry.in_use |= busy && !matches!(entry.kind, CacheKind::Clones | CacheKind::Builds);
    }
    entries.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.bytes.cmp(&a.bytes)));
    Ok(entries)
}

fn entries_in(folder: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(file_error(format_args!("{} could not be read", folder.display()), &error)),
    }
}

fn entry(kind: CacheKind, path: PathBuf) -> CacheEntry {
    let bytes = folders::bytes(&path).unwrap_or(0);
    let below = fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path());
    let used = below.chain([path.clone()]).filter_map(|path| fs::symlink_metadata(path).ok()?.modified().ok()).max();
    CacheEntry { kind, bytes, used, in_use: is_held(&path), path }
}

/// The lock beside it: of a clone `name.git` it is `name.lock`.
fn is_held(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".git").unwrap_or(&name);
    let lock = path.with_file_name(format!("{name}.lock"));
    File::options().write(true).open(lock).is_ok_and(|file| file.try_lock().is_err())
}

/// Which entries are to go.
#[derive(Debug, Clone, Copy, Default)]
pub struct CleaningWish {
    /// Also what parade cannot make again.
    pub everything: bool,
    /// Only what nobody has changed for so long.
    pub older_than: Option<Duration>,
}

impl CleaningWish {
    pub fn includes(&self, entry: &CacheEntry, now: SystemTime) -> bool {
        let age = entry.used.and_then(|used| now.duration_since(used).ok()).unwrap_or_default();
        (self.everything || entry.kind.is_replaceable()) && self.older_than.is_none_or(|least| age >= least)
    }
}

/// Removes an entry, unless somebody has begun to use it since.
pub fn free(entry: &CacheEntry) -> Result<()> {
    if is_held(&entry.path) {
        return Err(miette!("{} is being used", entry.path.display()));
    }
    if fs::symlink_metadata(&entry.path).is_ok_and(|metadata| metadata.is_dir()) {
        return snapshot::remove(&entry.path);
    }
    fs::remove_file(&entry.path)
        .map_err(|error| file_error(format_args!("{} could not be removed", entry.path.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        for (path, text) in [
            (home.worktrees().join("a-1/tree/pom.xml"), "12345"),
            (home.worktrees().join("b-2/tree/pom.xml"), "123"),
            (home.repositories().join("x.git/HEAD"), "1"),
            (home.results().join("detect-a/record"), "1234567"),
            (home.maven_repository().join("junit.jar"), "12"),
        ] {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for name in ["a-1", "b-2"] {
            fs::write(home.worktrees().join(format!("{name}.lock")), "").unwrap();
        }
        (folder, home)
    }

    #[test]
    fn the_cache_is_told_by_kind_and_results_stay_unless_asked_for() {
        let (_folder, home) = cache();
        let entries = cache_entries(&home).unwrap();
        let told: Vec<_> = entries.iter().map(|entry| (entry.kind, entry.bytes, entry.in_use)).collect();
        assert_eq!(
            told,
            [
                (CacheKind::Clones, 1, false),
                (CacheKind::Builds, 5, false),
                (CacheKind::Builds, 3, false),
                (CacheKind::MavenRepositories, 2, false),
                (CacheKind::Results, 7, false),
            ]
        );
        let now = SystemTime::now();
        let goes = |wish: CleaningWish| entries.iter().filter(|entry| wish.includes(entry, now)).count();
        assert_eq!(goes(CleaningWish::default()), 4);
        assert_eq!(goes(CleaningWish { everything: true, older_than: None }), 5);
        assert_eq!(goes(CleaningWish { everything: true, older_than: Some(Duration::from_secs(86_400)) }), 0);
        free(&entries[1]).unwrap();
        assert!(!home.worktrees().join("a-1").exists() && home.worktrees().join("b-2").exists());
    }

    /// Every folder that parade makes in its cache is known by its kind. What is not parade's goes only where everything goes.
    #[test]
    fn every_folder_of_the_cache_is_listed_and_freed() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let own = [
            home.class_archives(),
            home.exchange(),
            home.jdk_choices(),
            home.jvm_helper(),
            home.maven_repository(),
            home.maven_seals(),
            home.versions(),
            home.maven_distributions(),
            home.repositories(),
            home.subject_maven_repositories(),
            home.test_logs(),
            home.worktrees(),
        ];
        let own = own.iter().chain(&home.former_maven_repositories()).map(|path| path.join("x")).collect::<Vec<_>>();
        let foreign = [home.root().join("notes"), home.root().join("photo.jpg")];
        for path in &own {
            fs::create_dir_all(path).unwrap();
            fs::write(path.join("file"), "1").unwrap();
        }
        for path in &foreign {
            fs::write(path, "1").unwrap();
        }
        let entries = cache_entries(&home).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.bytes).sum::<u64>(), (own.len() + foreign.len()) as u64);
        let unknown: Vec<_> = entries.iter().filter(|entry| entry.kind == CacheKind::Other).collect();
        assert_eq!(unknown.len(), foreign.len(), "{unknown:?}");
        let now = SystemTime::now();
        for entry in entries.iter().filter(|entry| CleaningWish::default().includes(entry, now)) {
            free(entry).unwrap();
        }
        assert!(own.iter().all(|path| !path.exists()) && foreign.iter().all(|path| path.exists()));
        for entry in cache_entries(&home).unwrap() {
            free(&entry).unwrap();
        }
        assert!(foreign.iter().all(|path| !path.exists()));
    }

    #[test]
    fn what_a_run_holds_is_not_freed() {
        let (_folder, home) = cache();
        let lock = File::options().write(true).open(home.worktrees().join("b-2.lock")).unwrap();
        lock.try_lock().unwrap();
        let entries = cache_entries(&home).unwrap();
        let held: Vec<_> = entries.iter().filter(|entry| entry.in_use).map(|entry| entry.kind).collect();
        assert_eq!(held, [CacheKind::Builds, CacheKind::MavenRepositories, CacheKind::Results]);
        let build = entries.iter().find(|entry| entry.path.ends_with("b-2")).unwrap();
        assert!(free(build).unwrap_err().to_string().contains("being used"));
        assert!(home.worktrees().join("b-2/tree/pom.xml").is_file());
    }
}
