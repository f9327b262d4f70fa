//! Processes that start quickly: which options a suite's JVMs bear, and the archives of classes that are made for them once. What
//! that costs is no run's.

use std::path::Path;
use std::time::Duration;

use super::DirectSession;
use super::archive::{self, Archive};
use super::crew::{self, Staffing};
use super::goal_runs::GoalRun;
use super::launch::Jvm;
use super::request::Manner;
use crate::engine::{Isolation, Mode};
use crate::process;
use crate::suite::FindingKind;

/// For the one test that an archive of classes is made with.
const TRAINING: Duration = Duration::from_secs(60);
const ARCHIVE_LOG: u64 = 1 << 20;

impl DirectSession {
    /// Makes sure that quick processes can be started for these suites. What this costs is no run's.
    pub(super) fn quicken(&mut self, legs: &[GoalRun], chosen: &[usize]) -> miette::Result<()> {
        for leg in legs {
            if !self.quick.contains_key(&leg.suite) {
                let first = leg.tests.first().map(|test| chosen[*test]);
                let jvm = self.quick_jvm(leg.suite, first)?;
                self.quick.insert(leg.suite, jvm);
            }
        }
        Ok(())
    }

    fn quick_jvm(&self, suite: usize, test: Option<usize>) -> miette::Result<Jvm> {
        let plain = self.jvm(suite)?;
        let quick = plain.clone().with_flags(archive::quick_options(&plain));
        let toolchain = &self.prepared.toolchain;
        let same_jdk = is_inside(plain.java(), &toolchain.java_home);
        let java_major = same_jdk.then_some(toolchain.java_major);
        if archive::is_bare(&plain, java_major) {
            let archive = self.archive_of_jdk(&plain)?;
            return Ok(quick.with_flags(archive::bare_options(archive.as_ref())));
        }
        if !archive::is_possible(&plain, java_major) {
            return Ok(quick);
        }
        let apart = quick.clone().with_folders_apart();
        let cache = self.prepared.home.class_archives();
        let archive = Archive::of(&apart, &toolchain.java_version, &cache);
        if let (false, false, Some(test)) = (archive.exists(), archive.failed(), test) {
            archive.make(self.prepared.user.as_ref(), |path| {
                self.train(suite, apart.clone().with_flags([archive::training_option(path)]), test)
            })?;
        }
        Ok(if archive.exists() { apart.with_flags([archive.use_option()]) } else { quick })
    }

    /// An archive of the JDK's own classes, for one that comes without.
    fn archive_of_jdk(&self, jvm: &Jvm) -> miette::Result<Option<Archive>> {
        let cache = self.prepared.home.class_archives();
        let archive = Archive::of_jdk(jvm.java(), &self.prepared.toolchain.java_version, &cache);
        if !archive.exists() && !archive.failed() {
            archive.make(self.prepared.user.as_ref(), |path| {
                let command = process::Command {
                    program: jvm.java().to_owned(),
                    args: archive::dump_arguments(path),
                    dir: self.scratch.path().to_owned(),
                    environment: jvm.environment(1),
                    output: self.scratch.path().join("archive.log").into(),
                    output_limit: ARCHIVE_LOG,
                    cores: None,
                    memory_bytes: None,
                    time_limit: TRAINING,
                    grace: Duration::from_secs(1),
                    tag: format!("{}-{}-archive", self.tag, std::process::id()),
                    user: self.prepared.user.clone(),
                };
                let ended = process::run(&command, &self.interrupt)?;
                Ok(if ended.exit == process::Exit::Code(0) { Ok(()) } else { Err(format!("{:?}", ended.exit)) })
            })?;
        }
        Ok(archive.exists().then_some(archive))
    }

    /// Runs one test, so that the classes which every run needs are loaded. How it ends does not matter.
    fn train(&self, suite: usize, jvm: Jvm, test: usize) -> miette::Result<Result<(), String>> {
        let prepared = &self.prepared;
        prepared.before_run()?;
        let tickets = [self.ticket(test)];
        let place = self.place(suite, jvm, self.unmeasured(TRAINING), self.scratch.path(), &tickets);
        let manner = Manner { mode: Mode::Sequential, threads: 1, limit: None, isolation: Isolation::Fresh };
        let staffing = Staffing { forks: 1, reuse: false, stay: false, manner };
        let haul = crew::run(&place, staffing, vec![vec![0]], &mut Vec::new())?;
        prepared.worktree.after_run(&prepared.snapshot)?;
        let died = haul.findings.iter().find(|finding| finding.kind == FindingKind::DeadWorker);
        Ok(match (haul.end, died) {
            (None, None) => Ok(()),
            (Some(end), _) => Err(format!("{end:?}")),
            (None, Some(finding)) => Err(finding.text.clone()),
        })
    }
}

fn is_inside(program: &Path, folder: &Path) -> bool {
    matches!((program.canonicalize(), folder.canonicalize()), (Ok(program), Ok(folder)) if program.starts_with(&folder))
}
