//! Which project a report is about: its name, and the commit that was looked at. Nothing is fetched or built for it.

use std::path::Path;

use git2::{Repository, StatusOptions};
use serde::Serialize;

use super::platform_in;
use crate::redaction::without_parameters;
use crate::spec::{Origin, Subject};

/// What reports of a project begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProjectIdentity {
    /// As its build file names it, else the name of its folder, repository or file.
    pub name: String,
    /// The commit that was looked at; nothing outside of git.
    pub commit: Option<String>,
    /// Are there changes beside that commit?
    pub uncommitted_changes: bool,
}

impl ProjectIdentity {
    /// `revision` is what [`crate::subject::resolve`] gave, which is a commit for a repository; without it, what was asked for is told.
    pub fn find(subject: &Subject, revision: Option<&str>) -> Self {
        match &subject.origin {
            Origin::Git { url, revision: asked } => ProjectIdentity {
                name: last_part(without_parameters(url).trim_end_matches(".git")),
                commit: Some(revision.unwrap_or(asked).to_owned()),
                uncommitted_changes: false,
            },
            Origin::Folder { path } => {
                let root = subject.directory.as_ref().map_or_else(|| path.clone(), |directory| path.join(directory));
                let own = platform_in(&root).and_then(|platform| platform.project_name(&root));
                let name = own.unwrap_or_else(|| folder_name(&root));
                ProjectIdentity { name, ..of_checkout(path) }
            }
            Origin::Model { path } => ProjectIdentity { name: last_part(&path.to_string_lossy()), ..Self::default() },
        }
    }

    /// A line for people: the project, and the JDK with why it is that one.
    pub fn line(&self, jdk: Option<&str>) -> String {
        let jdk = jdk.map(|jdk| format!(", JDK {jdk}")).unwrap_or_default();
        format!("Project: {}{jdk}", self.told())
    }

    /// `shop at 1a2b3c4d5e6f + uncommitted changes`.
    pub fn told(&self) -> String {
        let commit =
            self.commit.as_deref().map(|commit| format!(" at {}", commit.chars().take(12).collect::<String>()));
        let changes = if self.uncommitted_changes { " + uncommitted changes" } else { "" };
        format!("{}{}{changes}", self.name, commit.unwrap_or_default())
    }
}

fn last_part(text: &str) -> String {
    text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(text).to_owned()
}

fn folder_name(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The commit of a checkout, and whether it has changes beside it.
fn of_checkout(folder: &Path) -> ProjectIdentity {
    let nothing = ProjectIdentity::default();
    let Ok(repository) = Repository::discover(folder) else { return nothing };
    let Some(commit) = repository.head().ok().and_then(|head| head.peel_to_commit().ok()).map(|commit| commit.id())
    else {
        return nothing;
    };
    let mut options = StatusOptions::new();
    options.include_untracked(true).include_ignored(false);
    let changes = repository.statuses(Some(&mut options)).is_ok_and(|statuses| !statuses.is_empty());
    ProjectIdentity { commit: Some(commit.to_string()), uncommitted_changes: changes, ..nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_has_a_commit_and_says_if_that_is_not_all() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(of_checkout(folder.path()).commit, None);
        let repository = Repository::init(folder.path()).unwrap();
        let author = git2::Signature::now("a", "a@example.org").unwrap();
        let tree = repository.find_tree(repository.index().unwrap().write_tree().unwrap()).unwrap();
        let commit = repository.commit(Some("HEAD"), &author, &author, "first", &tree, &[]).unwrap();
        let clean = of_checkout(folder.path());
        assert_eq!((clean.commit.as_deref(), clean.uncommitted_changes), (Some(commit.to_string().as_str()), false));
        std::fs::write(folder.path().join("new.txt"), "").unwrap();
        let changed = ProjectIdentity { name: "shop".to_owned(), ..of_checkout(folder.path()) };
        assert_eq!(changed.told(), format!("shop at {} + uncommitted changes", &commit.to_string()[..12]));
    }
}
