//! What has changed between two versions of a repository, in terms of the old one: which of the lines that tests covered
//! then. What tests cover is not found out here.
//!
//! The rules, which docs/order.md states too. Lines are compared without comments and without regard to how much white space
//! there is. A deleted or modified line that was executable has changed. An insertion changes the executable lines next to
//! it in its method (or initializer); so does a change to lines of a method of which none is executable, its head included.
//! What lies outside of all that (imports, heads of classes, fields without code, new methods, new files) nobody could cover.
//!
//! [`between`] is what experiments build on: it stays as it is.

mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use git2::{Delta, Diff, DiffDelta, DiffFindOptions, DiffOptions, Oid, Patch, Repository, Tree};
use miette::{Result, miette};

use self::source::Source;
use crate::suite::{Change, Coverage, Element};

/// A source file that is larger was not written by people.
const LARGEST_SOURCE: u64 = 8 << 20;

/// Which part of a repository counts, by folders from its top on; all of it where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    pub folders: Vec<PathBuf>,
}

impl Scope {
    fn has(&self, path: &Path) -> bool {
        self.folders.is_empty() || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// What has changed from one commit to another, each by anything that git takes for one.
pub fn between(repository: &Path, old: &str, new: &str, coverage: &Coverage, scope: &Scope) -> Result<Change> {
    let git = open(repository)?;
    let (old, new) = (tree(&git, old)?, tree(&git, new)?);
    let diff = git.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options())).map_err(|error| failed(&error))?;
    changes(&git, diff, None, coverage, scope)
}

/// What has changed from a commit to the files as they stand in the worktree, whether git knows of them or not.
pub fn until_now(repository: &Path, old: &str, coverage: &Coverage, scope: &Scope) -> Result<Change> {
    let git = open(repository)?;
    let top = git.workdir().ok_or_else(|| miette!("the git repository {} has no files", repository.display()))?;
    let old = tree(&git, old)?;
    let diff = git.diff_tree_to_workdir_with_index(Some(&old), Some(&mut options())).map_err(|error| failed(&error))?;
    changes(&git, diff, Some(top), coverage, scope)
}

fn open(repository: &Path) -> Result<Repository> {
    Repository::open(repository)
        .map_err(|error| miette!("{} is not a git repository: {}", repository.display(), error.message()))
}

fn tree<'a>(git: &'a Repository, revision: &str) -> Result<Tree<'a>> {
    let found = git.revparse_single(revision).and_then(|object| object.peel_to_tree());
    found.map_err(|error| {
        miette!(
            help = "give a commit, tag or branch of this repository; a shallow clone does not have all of them",
            "there is no revision `{revision}` in {}: {}",
            git.path().display(),
            error.message()
        )
    })
}

fn options() -> DiffOptions {
    let mut options = DiffOptions::new();
    options.pathspec("*.java").include_untracked(true).recurse_untracked_dirs(true).ignore_submodules(true);
    options
}

fn failed(error: &git2::Error) -> miette::Report {
    miette!("git cannot compute the changes: {}", error.message())
}

/// `top` is where the new files stand, if they are in no tree.
fn changes(
    git: &Repository,
    mut diff: Diff<'_>,
    top: Option<&Path>,
    coverage: &Coverage,
    scope: &Scope,
) -> Result<Change> {
    diff.find_similar(Some(DiffFindOptions::new().renames(true).for_untracked(true)))
        .map_err(|error| failed(&error))?;
    let known: BTreeSet<&str> = coverage.files().collect();
    let mut change = Change::default();
    for delta in diff.deltas() {
        let Some(path) = delta.old_file().path().filter(|path| scope.has(path)) else { continue };
        let Some(file) = named_in_coverage(path, &known) else { continue };
        let Some(old) = blob(git, delta.old_file().id()) else { continue };
        let executable = coverage.executable(file);
        let touched = match new_content(git, &delta, top) {
            None => Touched { deleted: executable.into_iter().collect(), ..Touched::default() },
            Some(new) => compare(&old, &new, &executable)?,
        };
        change.deleted.extend(elements(file, &touched.deleted));
        change.modified.extend(elements(file, &touched.modified));
    }
    Ok(change)
}

/// What coverage calls a file of the repository: the longest end of its path that is known. A test's own source has no
/// lines of the program, whatever it is called.
fn named_in_coverage<'a>(path: &Path, known: &BTreeSet<&'a str>) -> Option<&'a str> {
    let text = path.to_str()?;
    if format!("/{text}").contains("/src/test/") {
        return None;
    }
    let ends = std::iter::once(text).chain(text.match_indices('/').map(|(at, _)| &text[at + 1..]));
    ends.filter_map(|end| known.get(end).copied()).next()
}

fn blob(git: &Repository, id: Oid) -> Option<Vec<u8>> {
    let blob = git.find_blob(id).ok()?;
    (blob.size() as u64 <= LARGEST_SOURCE).then(|| blob.content().to_vec())
}

/// `None` for a file that is gone, or is no file any more.
fn new_content(git: &Repository, delta: &DiffDelta<'_>, top: Option<&Path>) -> Option<Vec<u8>> {
    if matches!(delta.status(), Delta::Deleted | Delta::Typechange) {
        return None;
    }
    let Some(top) = top else { return blob(git, delta.new_file().id()) };
    let path = top.join(delta.new_file().path()?);
    let about = path.symlink_metadata().ok()?;
    (about.is_file() && about.len() <= LARGEST_SOURCE).then(|| std::fs::read(path).ok()).flatten()
}

fn elements(file: &str, lines: &BTreeSet<u32>) -> Vec<Element> {
    let lines: Vec<u32> = lines.iter().copied().collect();
    let run = |run: &[u32]| Element::Lines { file: file.to_owned(), first: run[0], last: run[run.len() - 1] };
    lines.chunk_by(|a, b| a + 1 == *b).map(run).collect()
}

/// Executable lines of the old version.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Touched {
    deleted: BTreeSet<u32>,
    modified: BTreeSet<u32>,
}

impl Touched {
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        self.deleted.iter().chain(&self.modified).copied()
    }
}

/// One stretch of a difference. Nothing was there before an insertion, which comes after line `first - 1`.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    first: u32,
    old: u32,
    new_first: u32,
    new: u32,
}

/// Two versions of a file.
pub fn compare(old: &[u8], new: &[u8], executable: &[u32]) -> Result<Touched> {
    let (old, new) = (Source::parse(old), Source::parse(new));
    let mut touched = Touched::default();
    for stretch in stretches(old.code(), new.code())? {
        let was = stretch.first..stretch.first + stretch.old;
        let is = stretch.new_first..stretch.new_first + stretch.new;
        if was.clone().all(|line| old.is_blank(line)) && is.clone().all(|line| new.is_blank(line)) {
            continue;
        }
        let hit: Vec<u32> = executable.iter().copied().filter(|line| was.contains(line)).collect();
        match (hit.is_empty(), stretch.new) {
            (true, _) => touched.modified.extend(next_to(&old, &stretch, executable)),
            (false, 0) => touched.deleted.extend(hit),
            (false, _) => touched.modified.extend(hit),
        }
    }
    Ok(touched)
}

fn stretches(old: &str, new: &str) -> Result<Vec<Stretch>> {
    let mut options = DiffOptions::new();
    options.context_lines(0).ignore_whitespace_change(true).indent_heuristic(true).force_text(true);
    let patch = Patch::from_buffers(old.as_bytes(), None, new.as_bytes(), None, Some(&mut options))
        .map_err(|error| failed(&error))?;
    let stretch = |number| {
        let (hunk, _) = patch.hunk(number).map_err(|error| failed(&error))?;
        // An insertion is given by the line before it.
        let first = hunk.old_start() + u32::from(hunk.old_lines() == 0);
        let new_first = hunk.new_start() + u32::from(hunk.new_lines() == 0);
        Ok(Stretch { first, old: hunk.old_lines(), new_first, new: hunk.new_lines() })
    };
    (0..patch.num_hunks()).map(stretch).collect()
}

/// The executable lines before and after, of the method that the stretch lies in.
fn next_to(old: &Source, stretch: &Stretch, executable: &[u32]) -> Vec<u32> {
    let within = if stretch.old == 0 {
        old.around_gap(stretch.first)
    } else {
        (stretch.first..stretch.first + stretch.old)
            .filter(|line| !old.is_blank(*line))
            .find_map(|line| old.around(line))
    };
    let Some(within) = within else { return Vec::new() };
    let own = || executable.iter().copied().filter(|line| old.around(*line) == Some(within));
    let before = own().rfind(|line| *line < stretch.first);
    let after = own().find(|line| *line >= stretch.first + stretch.old);
    before.into_iter().chain(after).collect()
}

#[cfg(test)]
mod tests;
