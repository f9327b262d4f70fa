//! Links in a bundled folder: those within it stay, those that lead out of it go.

use std::fs;
use std::path::{Component, Path, PathBuf};

use miette::miette;

use crate::folders;

/// Removes links that lead out of a folder, and says which. No link is followed.
pub(super) fn remove_leading_out(folder: &Path) -> miette::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for link in folders::links(folder)? {
        let path = folder.join(&link);
        let failed = |error: std::io::Error| miette!("{}: {error}", path.display());
        let target = fs::read_link(&path).map_err(failed)?;
        if leads_out(link.parent().unwrap_or(Path::new("")), &target) {
            fs::remove_file(&path).map_err(failed)?;
            removed.push(link);
        }
    }
    Ok(removed)
}

/// By its words alone: does a link in a folder below the top leave it on its way?
fn leads_out(below: &Path, target: &Path) -> bool {
    let mut depth = below.components().count();
    for part in target.components() {
        match part {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_within_stay_and_links_out_go() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("top");
        fs::create_dir_all(top.join("a/b")).unwrap();
        for (link, target) in [("a/up", "../file"), ("a/out", "../../file"), ("etc", "/etc"), ("a/b/within", "../../a")]
        {
            symlink(target, top.join(link)).unwrap();
        }
        let removed = remove_leading_out(&top).unwrap();
        assert_eq!(removed, [PathBuf::from("a/out"), PathBuf::from("etc")]);
        assert!(top.join("a/up").is_symlink() && top.join("a/b/within").is_symlink());
    }
}
