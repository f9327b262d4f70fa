//! Several versions of a subject, each a subject of its own: `<name>.v01` is the first, the last is what the file itself names.

use super::{Origin, Subject, Version};

impl Subject {
    /// This subject with versions that came before it, oldest first, each by its source and its origin.
    pub fn with_earlier(&self, earlier: Vec<(String, Origin)>) -> Vec<Subject> {
        let newest = (self.source.clone(), self.origin.clone());
        let all: Vec<(String, Origin)> = earlier.into_iter().chain([newest]).collect();
        let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let first = all.first().map(|(source, origin)| revision_of(source, origin)).unwrap_or_default();
        let version = |number: u32, source: String, origin: Origin| Subject {
            name: format!("{}.v{number:02}", self.name),
            source,
            origin,
            earlier: None,
            version: Some(Version { of: self.name.clone(), number, count, first: first.clone() }),
            ..self.clone()
        };
        (1..).zip(all).map(|(number, (source, origin))| version(number, source, origin)).collect()
    }

    /// The same for a repository's commits.
    pub fn with_earlier_commits(&self, commits: &[String]) -> Vec<Subject> {
        let Origin::Git { url, .. } = &self.origin else { return vec![self.clone()] };
        let at = |commit: &String| (self.source.clone(), Origin::Git { url: url.clone(), revision: commit.clone() });
        self.with_earlier(commits.iter().map(at).collect())
    }
}

fn revision_of(source: &str, origin: &Origin) -> String {
    match origin {
        Origin::Git { revision, .. } => revision.clone(),
        Origin::Folder { .. } | Origin::Model { .. } => source.to_owned(),
    }
}
