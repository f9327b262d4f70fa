//! Whether a worktree is as it was prepared, and what is told where it is not.

use std::cell::Cell;

use super::{Changes, Snapshot};
use crate::suite::{Finding, FindingKind};
use crate::wording::plural;

/// Is the worktree as the build left it? After a run that broke down halfway it is not.
#[derive(Debug, Default)]
pub struct Cleanliness {
    dirty: Cell<bool>,
}

impl Cleanliness {
    /// Tells what changed since the last run though nothing of this subject ran: somebody else wrote into the worktree.
    pub fn before_run(&self, snapshot: &Snapshot) -> miette::Result<Changes> {
        let is_left_over = self.dirty.replace(true);
        let changes = snapshot.restore()?;
        Ok(if is_left_over { Changes::default() } else { changes })
    }

    pub fn after_run(&self, snapshot: &Snapshot) -> miette::Result<Changes> {
        let changes = snapshot.restore()?;
        self.dirty.set(false);
        Ok(changes)
    }
}

impl Changes {
    /// What a run changed outside of build folders.
    pub fn dirty(&self) -> Option<Finding> {
        const LISTED: usize = 5;
        if self.elsewhere.is_empty() {
            return None;
        }
        let list: Vec<_> = self.elsewhere.iter().take(LISTED).map(|path| path.display().to_string()).collect();
        let more = self.elsewhere_total.saturating_sub(list.len());
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("files outside the build folders changed: {}{rest}", list.join(", "));
        Some(Finding::new(FindingKind::DirtyWorktree, text))
    }

    /// What was put right before a run.
    pub fn made_meanwhile(&self) -> Option<Finding> {
        let count = self.in_build_folders + self.elsewhere_total;
        let first = self.elsewhere.first().map(|path| format!(", e.g. {}", path.display())).unwrap_or_default();
        let text = format!(
            "{} of the worktree had been changed since the run before, by something else than this subject's runs{first}; they were \
             restored",
            plural(count, "file")
        );
        (count > 0).then(|| Finding::new(FindingKind::DirtyWorktree, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Bounds;

    #[test]
    fn a_dirty_worktree_is_listed_in_part() {
        let paths = (0..7).map(|n| format!("f{n}").into()).collect();
        let changes = Changes { in_build_folders: 3, elsewhere: paths, elsewhere_total: 9 };
        assert_eq!(
            changes.dirty().unwrap().text,
            "files outside the build folders changed: f0, f1, f2, f3, f4 and 4 more"
        );
        assert_eq!(Changes { in_build_folders: 3, ..Changes::default() }.dirty(), None);
    }

    #[test]
    fn a_run_after_one_that_broke_down_starts_clean() {
        let folder = tempfile::tempdir().unwrap();
        let (root, store) = (folder.path().join("tree"), folder.path().join("snapshot"));
        std::fs::create_dir(&root).unwrap();
        let file = root.join("pom.xml");
        std::fs::write(&file, "built").unwrap();
        let snapshot = Snapshot::take(&root, &store, &Bounds::new(&|| false)).unwrap().unwrap();

        let cleanliness = Cleanliness::default();
        cleanliness.before_run(&snapshot).unwrap();
        std::fs::write(&file, "changed by a run").unwrap();
        // What comes between, and could put it right, fails.
        cleanliness.before_run(&snapshot).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "built");
        cleanliness.after_run(&snapshot).unwrap();
        assert!(!cleanliness.dirty.get());
        std::fs::write(&file, "changed by somebody else").unwrap();
        assert_eq!(cleanliness.before_run(&snapshot).unwrap().elsewhere, [std::path::Path::new("pom.xml")]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "built");
    }
}
