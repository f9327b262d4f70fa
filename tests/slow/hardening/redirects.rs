//! A subject that tries to lead parade elsewhere, run by root as another user, and by an ordinary user. Nothing outside may change,
//! nothing of it may be read, and nothing may stay alive.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::yard::{Yard, becomes_true, stderr};
use crate::common::desk::{bundled, copy_folder, shared_home};
use crate::turn;

const ORDINARY: u32 = 65534;
const SECRET: &str = "a secret of root's";

/// Everything that could change, as text.
fn described(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    names.sort();
    for path in [folder.to_owned()].into_iter().chain(names) {
        let about = path.symlink_metadata().unwrap();
        let content = if about.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        lines.push(format!("{path:?} {:o} {} {} {content:?}", about.mode(), about.uid(), about.nlink()));
    }
    lines
}

fn holds_secret(folder: &Path) -> Option<std::path::PathBuf> {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            if let Some(found) = holds_secret(&path) {
                return Some(found);
            }
        } else if kind.is_file() && fs::read(&path).is_ok_and(|bytes| contains(&bytes, SECRET.as_bytes())) {
            return Some(path);
        }
    }
    None
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn is_alive(command: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).replace('\0', " ").trim() == command)
}

/// A folder that nobody may reach, with a secret in it.
fn made_outside(yard: &Yard) -> PathBuf {
    let outside = yard.path("outside");
    fs::create_dir(&outside).unwrap();
    for (name, mode) in [("secret", 0o600), ("open", 0o644)] {
        fs::write(outside.join(name), SECRET).unwrap();
        fs::set_permissions(outside.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for folder in [yard.path(""), outside.clone()] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    outside
}

/// The experiment on the bundled subject, with more settings and variables of it.
fn redirecting(yard: &Yard, settings: &str, variables: &str) {
    fs::remove_dir_all(yard.path("subject")).unwrap();
    copy_folder(&bundled("redirects-records"), &yard.path("subject"));
    let text = fs::read_to_string(yard.path("experiment.toml")).unwrap();
    let text = text.replace("path = 'subject'\n", &format!("path = 'subject'\n{settings}"));
    let outside = yard.path("outside");
    let text =
        text.replace("environment = {", &format!("environment = {{ {variables} OUTSIDE = '{}',", outside.display()));
    fs::write(yard.path("experiment.toml"), text).unwrap();
}

#[test]
fn no_attempt_to_redirect_reaches_anything_outside() {
    if let Some(why) = parade::process::missing_privileges() {
        println!("skipped, as commands cannot be run as another user: {why}");
        return;
    }
    let Some(turn) = turn::of_subject("redirects-records") else { return };
    let yard = Yard::in_turn(&[], turn);
    let outside = made_outside(&yard);
    let before = described(&outside);
    yard.experiment(2, "", "");
    redirecting(&yard, "user = 'nobody'\n", "");

    for extra in [&[][..], &["--retry"]] {
        let ended = yard.run(extra);
        assert!(ended.status.success(), "{}", stderr(&ended));
    }
    assert_eq!(described(&outside), before);
    assert_eq!(holds_secret(&yard.path("results")), None);
    let trials = yard.trials();
    assert_eq!(trials.len(), 2, "nothing ended early: {trials:?}");
    assert!(trials.iter().all(|trial| trial["stages"][0]["tally"]["passed"] == 13), "{trials:?}");
    assert!(becomes_true(std::time::Duration::from_secs(10), || !is_alive("sleep 611.37")));
    let found = trials[1]["findings"].to_string();
    assert!(found.contains("dirty_worktree") && found.contains("stray"), "{found}");
}

/// The same program, run by an ordinary user with a cache of its own. Downloads are copied.
struct OrdinaryUser<'a> {
    yard: &'a Yard,
}

impl<'a> OrdinaryUser<'a> {
    fn new(yard: &'a Yard) -> Self {
        for part in ["helper-m2", "m2-seals", "jvm"] {
            let from = shared_home().join(part);
            if from.is_dir() {
                copy_folder(&from, &yard.path("home").join(part));
            }
        }
        fs::create_dir_all(yard.path("home")).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_parade"), yard.path("parade")).unwrap();
        OrdinaryUser { yard }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.yard.path("parade"));
        command.current_dir(self.yard.path("")).env("PARADE_HOME", self.yard.path("home"));
        command.env("HOME", self.yard.path("home")).env("NO_COLOR", "1").args(arguments);
        if parade::process::missing_privileges().is_none() {
            give(&self.yard.path(""), &self.yard.path("outside"));
            command.uid(ORDINARY).gid(ORDINARY);
        }
        command.output().unwrap()
    }
}

/// Gives all but one folder away.
fn give(path: &Path, but: &Path) {
    if path == but {
        return;
    }
    std::os::unix::fs::lchown(path, Some(ORDINARY), Some(ORDINARY)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        fs::read_dir(path).unwrap().flatten().for_each(|entry| give(&entry.path(), but));
    }
}

#[test]
fn an_ordinary_user_is_led_nowhere_and_told_what_was_changed() {
    let Some(turn) = turn::of_subject("redirects-records") else { return };
    let yard = Yard::in_turn(&[], turn);
    let outside = made_outside(&yard);
    let before = described(&outside);
    copy_folder(&bundled("forges-records"), &yard.path("forger"));
    fs::create_dir_all(yard.path("forger/src/test/resources")).unwrap();
    let order = format!("claims\n{}\n", outside.join("open").display());
    fs::write(yard.path("forger/src/test/resources/forge.txt"), order).unwrap();
    yard.experiment(1, "", "");
    redirecting(&yard, "", "SPARE = 'parade',");
    let user = OrdinaryUser::new(&yard);

    let parallel = ["--technique", "parallel", "--parallel", "classes", "--threads", "2"];
    let forged = user.run(&[&["test", "forger", "--json"][..], &parallel].concat());
    let said: serde_json::Value =
        serde_json::from_slice(&forged.stdout).unwrap_or_else(|_| panic!("{}", stderr(&forged)));
    assert_eq!((forged.status.code(), said["verdict"].as_str()), (Some(1), Some("contradicted")), "{said:#}");
    let failures = said["failures"].as_array().unwrap();
    let looked = failures.iter().find(|failure| failure["test"].to_string().contains("looksForTheMode")).unwrap();
    assert!(looked["message"].as_str().unwrap().ends_with("it found:"), "{looked}");
    assert_eq!(failures.len(), 12, "{said:#}");

    // It changes the build, the Maven repository and the helper in the cache, which are this user's own.
    let redirected = user.run(&["run", "experiment.toml", "--json"]);
    let text = stderr(&redirected);
    let is_told = text.contains("changed") || text.contains("symbolic link");
    assert!(is_told, "{text}");
    assert!(yard.trials().iter().all(|trial| trial["verdict"] != "clean"), "{:?}", yard.trials());
    assert_eq!(described(&outside), before);
    assert_eq!(holds_secret(&yard.path("results")), None);
    assert!(becomes_true(std::time::Duration::from_secs(10), || !is_alive("sleep 611.37")));
}
