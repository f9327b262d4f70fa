//! Several versions of a subject, each a subject of its own: `<name>.v01` is the first, the last is what the file itself names.
//!
//! Which versions there are is written in the file, or sought when a run begins; here they only become subjects.

use super::Experiment;
use crate::spec::{Origin, Subject, Version};

/// In place of the revision of a version that nobody has sought yet.
pub(super) const SOUGHT: &str = "searched when the run begins";

impl Subject {
    /// This subject with versions that came before it, oldest first, each by its source and its origin.
    pub(super) fn with_earlier(&self, earlier: Vec<(String, Origin)>) -> Vec<Subject> {
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
    fn with_earlier_commits(&self, commits: &[String]) -> Vec<Subject> {
        let Origin::Git { url, .. } = &self.origin else { return vec![self.clone()] };
        let at = |commit: &String| (self.source.clone(), Origin::Git { url: url.clone(), revision: commit.clone() });
        self.with_earlier(commits.iter().map(at).collect())
    }
}

impl Experiment {
    /// The experiment with the commits that were found before a subject's own, oldest first.
    pub fn with_versions(&self, subject: &str, commits: &[String]) -> Experiment {
        self.expanded(|each| (each.name == subject).then(|| each.with_earlier_commits(commits)))
    }

    /// The experiment as if as many versions were found as are sought.
    pub(super) fn with_assumed_versions(&self) -> Experiment {
        self.expanded(|each| {
            let count = each.earlier? as usize;
            Some(each.with_earlier_commits(&vec![SOUGHT.to_owned(); count]))
        })
    }

    fn expanded(&self, versions: impl Fn(&Subject) -> Option<Vec<Subject>>) -> Experiment {
        let of = |subject: &Subject| versions(subject).unwrap_or_else(|| vec![subject.clone()]);
        Experiment { subjects: self.subjects.iter().flat_map(of).collect(), ..self.clone() }
    }
}

fn revision_of(source: &str, origin: &Origin) -> String {
    match origin {
        Origin::Git { revision, .. } => revision.clone(),
        Origin::Folder { .. } | Origin::Model { .. } => source.to_owned(),
    }
}
