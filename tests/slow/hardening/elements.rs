//! What the machine does to a run: its disk fills, its folders vanish, its files are damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::yard::{Yard, becomes_true, stderr};
use crate::common::desk::shared_home;

const PASSING: &str = "@Test public void passes() {}";

/// Says that it has begun, and waits until it may end: for a test that has to do something meanwhile.
fn waiting(yard: &Path) -> String {
    format!(
        "@Test public void waits() throws Exception {{\n\
         java.io.File begun = new java.io.File(\"{0}/begun\"), go = new java.io.File(\"{0}/go\");\n\
         begun.createNewFile();\n\
         while (!go.exists() && begun.exists()) Thread.sleep(20);\n}}",
        yard.display()
    )
}

/// A file system of so many bytes; `None`, said aloud, where it cannot be had.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(at).status();
        if !mounted.is_ok_and(|status| status.success()) {
            println!("skipped: a small file system can be mounted only by root");
            return None;
        }
        Some(SmallDisk(at.to_owned()))
    }

    fn grow(&self, size: &str) {
        let remount = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &remount]).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_cache_disk_is_said_and_the_run_goes_on_when_there_is_room() {
    let Some(yard) = Yard::new(&[("OneTest", PASSING.to_owned())]) else { return };
    yard.experiment(1, "", "");
    // Worktrees are what fills; parade's own helper has room beside them.
    let cache = yard.path("cache");
    fs::create_dir(&cache).unwrap();
    for own in ["helper-m2", "jvm", "m2-seals"].map(|name| shared_home().join(name)) {
        // Without them the run below fetches them.
        let _ = Command::new("cp").arg("-a").arg(&own).arg(&cache).output();
    }
    let Some(disk) = SmallDisk::mount(&cache.join("worktrees"), "24k") else { return };
    let run = || yard.command(&["--retry"]).env("PARADE_HOME", &cache).output().unwrap();
    let failed = run();
    assert!(matches!(failed.status.code(), Some(1 | 3)), "{failed:?}");
    let said = format!("{}{}", stderr(&failed), String::from_utf8_lossy(&failed.stdout));
    assert!(said.contains("No space left on device"), "{said}");
    disk.grow("64m");
    let resumed = run();
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let last = yard.trials().pop().unwrap();
    assert_eq!(last["verdict"], "clean", "{last}");
    yard.assert_nothing_left("a full disk");
}

#[test]
fn a_worktree_that_vanishes_costs_trials_but_not_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let Some(yard) = Yard::new(&[("OneTest", waiting(folder.path()))]) else { return };
    yard.experiment(2, "timeout = '60s'", "");
    fs::write(folder.path().join("go"), "").unwrap();
    assert!(yard.run(&["--quick"]).status.success(), "the subject is prepared");
    fs::remove_file(folder.path().join("go")).unwrap();
    fs::remove_file(folder.path().join("begun")).unwrap();
    let mut run = yard.start(&[]);
    assert!(becomes_true(Duration::from_secs(120), || folder.path().join("begun").exists()), "no test began");
    for worktree in worktrees_of(&yard) {
        fs::remove_dir_all(worktree).unwrap();
    }
    fs::write(folder.path().join("go"), "").unwrap();
    let code = run.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 1 | 3)), "{code:?}");
    let resumed = yard.run(&["--retry"]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    assert_eq!(yard.trials().iter().filter(|trial| trial["verdict"] == "clean").count(), 2);
    yard.assert_nothing_left("a worktree vanished");
}

fn worktrees_of(yard: &Yard) -> Vec<PathBuf> {
    let source = fs::read_to_string(yard.path("subject/src/test/java/yard/OneTest.java")).unwrap();
    let ours = |folder: &PathBuf| {
        let copy = folder.join("tree/src/test/java/yard/OneTest.java");
        fs::read_to_string(copy).is_ok_and(|text| text == source)
    };
    let entries = fs::read_dir(shared_home().join("worktrees")).unwrap().flatten().map(|entry| entry.path());
    let found: Vec<PathBuf> = entries.filter(ours).collect();
    assert!(!found.is_empty(), "no worktree to remove");
    found
}

#[test]
fn a_results_folder_that_vanishes_ends_the_run_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let Some(yard) = Yard::new(&[("OneTest", waiting(folder.path()))]) else { return };
    yard.experiment(1, "timeout = '60s'", "");
    fs::write(folder.path().join("go"), "").unwrap();
    assert!(yard.run(&["--quick"]).status.success(), "the subject is prepared");
    fs::remove_file(folder.path().join("go")).unwrap();
    fs::remove_file(folder.path().join("begun")).unwrap();
    let run =
        yard.command(&[]).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    assert!(becomes_true(Duration::from_secs(120), || folder.path().join("begun").exists()), "no test began");
    fs::remove_dir_all(yard.path("results")).unwrap();
    fs::write(folder.path().join("go"), "").unwrap();
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(stderr(&ended).contains("results"), "{}", stderr(&ended));
    yard.assert_nothing_left("the results vanished");
    assert!(yard.run(&[]).status.success(), "a new run starts");
}
