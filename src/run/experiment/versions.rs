//! Several versions of a subject, each a subject of its own: `<name>.v01` is the first, the last is what the file itself names.
//!
//! Which versions there are is written in the file, or sought when a run begins; here they only become subjects.

use super::Experiment;
use crate::spec::Subject;

/// In place of the revision of a version that nobody has sought yet.
pub(super) const SOUGHT: &str = "searched when the run begins";

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
