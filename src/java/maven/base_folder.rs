//! The folder whose `.mvn` a Maven obeys. Maven's start script walks upwards from where it is started, to the root of the file
//! system. Above a worktree are folders that others may write: a `.mvn` there would add options, extensions and agents to every
//! subject. So parade says which folder it is, and it is never above the worktree.

use crate::file_error::file_error;
use std::path::{Path, PathBuf};

use miette::miette;

const SETTINGS: &str = ".mvn";

/// The nearest folder with a `.mvn` from the build's root up to the worktree's root, else the build's root. A `.mvn` that leads
/// out of the worktree is an error.
pub fn base_folder(build_root: &Path, worktree: &Path) -> miette::Result<PathBuf> {
    let real =
        |path: &Path| path.canonicalize().map_err(|error| file_error(format_args!("{}", path.display()), &error));
    let (build_root, worktree) = (real(build_root)?, real(worktree)?);
    for folder in build_root.ancestors().take_while(|folder| folder.starts_with(&worktree)) {
        match folder.join(SETTINGS).canonicalize() {
            Ok(settings) if !settings.is_dir() => {}
            Ok(settings) if settings.starts_with(&worktree) => return Ok(folder.to_owned()),
            Ok(_) => {
                let shown = folder.strip_prefix(&worktree).unwrap_or(folder).join(SETTINGS);
                return Err(miette!("{} is a link that leads out of the subject", shown.display()));
            }
            Err(_) => {}
        }
    }
    Ok(build_root)
}

/// Maven 4 looks for extensions and options upwards once more, whatever its start script was told. So there must be nothing to
/// find above a folder that has no `.mvn` itself.
pub fn check_above(base: &Path, maven_version: &str) -> miette::Result<()> {
    let major = maven_version.split('.').next().and_then(|number| number.parse::<u32>().ok());
    if major.is_none_or(|major| major < 4) || base.join(SETTINGS).is_dir() {
        return Ok(());
    }
    match base.ancestors().skip(1).find(|folder| folder.join(SETTINGS).is_dir()) {
        None => Ok(()),
        Some(folder) => Err(miette!(
            help = "remove it, set PARADE_HOME to a folder that nobody else can write, or use Maven 3",
            "Maven {maven_version} would obey {}, which is not the subject's",
            folder.join(SETTINGS).display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// A worktree with a build in `core/app`, below a folder with a `.mvn` of somebody else.
    fn planted() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().canonicalize().unwrap().join("worktrees/x/tree");
        fs::create_dir_all(tree.join("core/app")).unwrap();
        fs::create_dir_all(folder.path().join("worktrees/.mvn")).unwrap();
        (folder, tree)
    }

    #[test]
    fn what_lies_above_the_worktree_is_not_obeyed() {
        let (_folder, tree) = planted();
        assert_eq!(base_folder(&tree, &tree).unwrap(), tree);
        assert_eq!(base_folder(&tree.join("core/app"), &tree).unwrap(), tree.join("core/app"));
    }

    #[test]
    fn the_nearest_folder_within_the_worktree_is_obeyed() {
        let (_folder, tree) = planted();
        fs::create_dir(tree.join(".mvn")).unwrap();
        assert_eq!(base_folder(&tree.join("core/app"), &tree).unwrap(), tree);
        fs::create_dir(tree.join("core/.mvn")).unwrap();
        assert_eq!(base_folder(&tree.join("core/app"), &tree).unwrap(), tree.join("core"));
        // A file of that name is nothing to Maven.
        fs::write(tree.join("core/app/.mvn"), "").unwrap();
        assert_eq!(base_folder(&tree.join("core/app"), &tree).unwrap(), tree.join("core"));
    }

    #[test]
    fn a_link_that_leads_out_is_refused() {
        let (folder, tree) = planted();
        symlink(folder.path().join("worktrees/.mvn"), tree.join("core/.mvn")).unwrap();
        let error = base_folder(&tree.join("core/app"), &tree).unwrap_err().to_string();
        assert_eq!(error, "core/.mvn is a link that leads out of the subject");
        fs::remove_file(tree.join("core/.mvn")).unwrap();
        fs::create_dir(tree.join("settings")).unwrap();
        symlink("../settings", tree.join("core/.mvn")).unwrap();
        assert_eq!(base_folder(&tree.join("core/app"), &tree).unwrap(), tree.join("core"));
    }

    #[test]
    fn maven_4_is_not_started_below_what_it_would_find_by_itself() {
        let (_folder, tree) = planted();
        check_above(&tree, "3.9.9").unwrap();
        let error = check_above(&tree, "4.0.0-rc-5").unwrap_err().to_string();
        assert!(error.contains("worktrees/.mvn, which is not the subject's"), "{error}");
        fs::create_dir(tree.join(".mvn")).unwrap();
        check_above(&tree, "4.0.0-rc-5").unwrap();
    }
}
