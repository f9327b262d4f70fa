//! A subject's set-up commands, which bring a fresh worktree so far that it can be built.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{self, Account, Cause, Exit, Interrupt};
use crate::spec::Subject;
use crate::subject::Progress;
use crate::toml_file::format_size;

const OUTPUT_LIMIT: u64 = 16 << 20;

/// What set-up commands may use.
pub struct SetUp<'a> {
    pub subject: &'a Subject,
    pub worktree: &'a Path,
    pub environment: BTreeMap<String, String>,
    pub logs: &'a Path,
    pub limits: PreparationLimits,
    pub tag: String,
    pub user: Option<&'a Account>,
    pub progress: &'a dyn Progress,
    pub interrupt: &'a Interrupt,
}

/// For each command of a preparation.
#[derive(Debug, Clone, Copy)]
pub struct PreparationLimits {
    pub time: Duration,
    pub memory_bytes: Option<u64>,
}

/// Why there is nothing to build.
#[derive(Debug)]
pub enum SetUpStop {
    Failed {
        reason: String,
        log: PathBuf,
        /// Would it be the same with other tools?
        is_certain: bool,
    },
    Interrupted,
}

impl PreparationLimits {
    pub fn too_long(&self, what: &str) -> String {
        format!("{what} took longer than {} seconds", self.time.as_secs())
    }

    pub fn too_much(&self, what: &str) -> String {
        let limit = match self.memory_bytes {
            Some(bytes) => format!("the {} that `memory` in [machine], or --memory, allows", format_size(bytes)),
            None => "there is".to_owned(),
        };
        format!("{what} needed more memory than {limit}")
    }
}

impl SetUp<'_> {
    /// `None` when all of them succeeded.
    pub fn run(&self) -> Option<SetUpStop> {
        let commands = self.subject.setup.iter().enumerate();
        commands.filter(|(_, words)| !words.is_empty()).find_map(|(number, words)| self.command(number + 1, words))
    }

    fn command(&self, number: usize, words: &[String]) -> Option<SetUpStop> {
        let (program, args) = words.split_first()?;
        self.progress.stage(&format!("setting up {}: {program}", self.subject.name));
        let log = self.logs.join(format!("setup-{number}.log"));
        let command = process::Command {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            dir: self.worktree.to_owned(),
            environment: self.environment.clone(),
            output: log.clone().into(),
            output_limit: OUTPUT_LIMIT,
            cores: None,
            memory_bytes: self.limits.memory_bytes,
            time_limit: self.limits.time,
            grace: Duration::from_secs(5),
            tag: self.tag.clone(),
            user: self.user.cloned(),
        };
        let ended = process::run(&command, self.interrupt);
        let failed = |reason, is_certain| Some(SetUpStop::Failed { reason, log: log.clone(), is_certain });
        let ended = match ended {
            Ok(ended) => ended,
            Err(error) => return failed(format!("the set-up command: {error}"), true),
        };
        match (ended.cause, ended.exit) {
            (Cause::Exited, Exit::Code(0)) => None,
            (Cause::Interrupted, _) => Some(SetUpStop::Interrupted),
            (Cause::TimedOut, _) => failed(self.limits.too_long("the set-up command"), true),
            (Cause::OutOfMemory, _) => failed(self.limits.too_much("the set-up command"), true),
            (_, exit) => {
                let how = match exit {
                    Exit::Code(code) => format!("exit code {code}"),
                    Exit::Signal(signal) => format!("signal {signal}"),
                };
                failed(format!("the set-up command `{}` ended with {how}{}", words.join(" "), last_line(&log)), false)
            }
        }
    }
}

/// What a command said last, for the reason of its failure.
pub fn last_line(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = crate::redaction::redact(&String::from_utf8_lossy(&text));
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.map_or_else(String::new, |line| format!(": {}", line.trim().chars().take(200).collect::<String>()))
}
