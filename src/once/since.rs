//! A project beside an earlier version of itself: what has changed in between.

use std::path::{Path, PathBuf};

use miette::miette;

use super::project::{self, Choice, Refusal};
use crate::spec::{Origin, Subject};
use crate::home::Home;
use crate::subject;
use crate::java::changes::{self, Scope};
use crate::suite::{Change, Coverage};

/// The same project at another revision. Its builds are kept apart from those of the project itself.
pub fn earlier(named: &str, subject: &Subject, modules: &[String], revision: &str) -> Result<Subject, Refusal> {
    let pinned = relative(named, revision);
    let choice = Choice { revision: Some(pinned.as_deref().unwrap_or(revision)), modules };
    let earlier = project::locate(named, &choice, subject.timeout).map_err(|refusal| Refusal {
        help: "an earlier version can only come from a git repository".to_owned(),
        ..refusal
    })?;
    Ok(Subject {
        name: format!("{}-since", subject.name),
        jdk: subject.jdk.clone(),
        maven: subject.maven.clone(),
        maven_args: subject.maven_args.clone(),
        environment: subject.environment.clone(),
        ..earlier
    })
}

/// The commit that is meant by a way from another one, as `HEAD~3`, where the repository is at hand.
fn relative(named: &str, revision: &str) -> Option<String> {
    let is_a_way = revision == "HEAD" || revision.contains(['~', '^', '@']);
    let repository = is_a_way.then(|| git2::Repository::discover(named).ok()).flatten()?;
    let commit = repository.revparse_single(revision).ok()?.peel_to_commit().ok()?;
    Some(commit.id().to_string())
}

/// Refuses what no revision of a repository that is at hand is called. A repository elsewhere is asked once it is fetched.
pub fn refuse_unknown(named: &str, revision: &str) -> Result<(), Refusal> {
    let Ok(repository) = git2::Repository::discover(named) else { return Ok(()) };
    let remote = format!("refs/remotes/origin/{revision}");
    let is_known = [revision, remote.as_str()].iter().any(|name| repository.revparse_single(name).is_ok());
    // A full hash can still be fetched.
    let is_hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_known || is_hash {
        return Ok(());
    }
    Err(Refusal {
        message: format!("--since: the repository of {named} has no revision `{revision}`"),
        help: "give a commit, a tag or a branch; `git log --oneline` lists commits".to_owned(),
    })
}

/// What has changed from one revision to what a project is now, in terms of what was covered then. `revision` is the project's
/// own.
pub fn change(
    subject: &Subject,
    revision: &str,
    earlier: &str,
    coverage: &Coverage,
    home: &Home,
) -> miette::Result<Change> {
    match &subject.origin {
        Origin::Git { url, .. } => {
            let (clone, _) = subject::kept(&subject.name, Some(url), revision, home);
            let clone = clone.ok_or_else(|| miette!("the cache has no clone of {}", subject.source))?;
            changes::between(&clone, earlier, revision, coverage, &scope(subject.directory.clone()))
        }
        Origin::Folder { path } => {
            let top = top_of(path)?;
            let below = path.strip_prefix(&top).unwrap_or(Path::new(""));
            let below = subject.directory.as_ref().map_or_else(|| below.to_owned(), |further| below.join(further));
            changes::until_now(&top, earlier, coverage, &scope(Some(below)))
        }
        Origin::Model { .. } => Err(miette!("a model suite has no earlier versions")),
    }
}

fn scope(folder: Option<PathBuf>) -> Scope {
    Scope { folders: folder.into_iter().filter(|folder| !folder.as_os_str().is_empty()).collect() }
}

fn top_of(folder: &Path) -> miette::Result<PathBuf> {
    let repository = git2::Repository::discover(folder)
        .map_err(|error| miette!("{} is not in a git repository: {}", folder.display(), error.message()))?;
    let top = repository.workdir().and_then(|top| top.canonicalize().ok());
    top.ok_or_else(|| miette!("the git repository of {} has no files", folder.display()))
}
