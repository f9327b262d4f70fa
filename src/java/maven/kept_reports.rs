//! Surefire's own XML reports, copied out of a worktree before it is restored. They are the subject's: links are not followed,
//! what is no plain file is left where it is, and what is copied has a limit.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path};

use rustix::fs::OFlags;

use super::handshake::Handshake;
use crate::project::KeptReports;

/// Of one report, and of all.
const FILE_LIMIT: u64 = 64 << 20;
const LIMIT: u64 = 1 << 30;

/// Copies the reports of all goals that ran below `root` into numbered folders below `into`. A report that cannot be copied is
/// left out: whoever reads them has the events beside.
pub fn keep_reports(handshake: &Handshake, root: &Path, into: &Path) -> KeptReports {
    let mut kept = KeptReports::default();
    let mut left = LIMIT;
    let mut taken: Vec<&Path> = Vec::new();
    for goal in &handshake.goals {
        if taken.contains(&goal.reports.as_path()) || !is_inside(&goal.reports, root) {
            continue;
        }
        taken.push(&goal.reports);
        let number = kept.folders.len() + 1;
        let folder = kept.folders.entry(goal.module.clone()).or_insert_with(|| into.join(number.to_string()));
        for name in report_names(&goal.reports) {
            match copy(&goal.reports.join(&name), &folder.join(&name), left) {
                Ok(length) => left = left.saturating_sub(length),
                Err(error) => tracing::warn!("{} is not kept: {error}", goal.reports.join(&name).display()),
            }
        }
    }
    kept
}

/// Without any link on the way that leads out.
pub(super) fn is_inside(folder: &Path, root: &Path) -> bool {
    let plain = folder.components().all(|part| matches!(part, Component::Normal(_) | Component::RootDir));
    let real = folder.canonicalize().ok().zip(root.canonicalize().ok());
    plain && real.is_some_and(|(folder, root)| folder.starts_with(root))
}

fn report_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("TEST-") && name.ends_with(".xml")).collect();
    names.sort();
    names
}

fn copy(from: &Path, to: &Path, left: u64) -> std::io::Result<u64> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(from)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > FILE_LIMIT.min(left) {
        return Err(std::io::Error::other("it is not a plain file, or it is too large"));
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    std::io::copy(&mut file.take(FILE_LIMIT), &mut File::create_new(to)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::handshake::Goal;
    use super::*;

    fn goal(module: &str, reports: &Path) -> Goal {
        Goal { module: module.to_owned(), reports: reports.to_owned(), ..Goal::default() }
    }

    #[test]
    fn reports_are_copied_and_links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (root, outside, into) = (place.path().join("tree"), place.path().join("out"), place.path().join("kept"));
        let folder = root.join("lib/target/surefire-reports");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("TEST-secret.xml"), "secret").unwrap();
        fs::write(folder.join("TEST-a.B.xml"), "<testsuite/>").unwrap();
        fs::write(folder.join("a.B.txt"), "").unwrap();
        std::os::unix::fs::symlink(outside.join("TEST-secret.xml"), folder.join("TEST-link.xml")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("away")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.join("TEST-pipe.xml"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let goals = vec![goal("lib", &folder), goal("lib", &folder), goal("", &root.join("away"))];
        let kept = keep_reports(&Handshake { goals, ..Handshake::default() }, &root, &into);
        assert_eq!(kept.folders, BTreeMap::from([("lib".to_owned(), into.join("1"))]));
        assert_eq!(report_names(&into.join("1")), ["TEST-a.B.xml"]);
    }
}
