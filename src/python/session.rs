//! The only engine of a pytest project: the subject's own pytest, on the state right after its set-up, observed and steered by our
//! plugin. Every run is a process of its own.

use std::rc::Rc;

use miette::miette;

use super::events::{self, Told};
use super::invocation::{Invocation, Invoked, Task, workers};
use super::prepare::Prepared;
use crate::engine::{
    Capabilities, EngineKind, Instrumentation, Isolation, Mode, ModeSupport, RunRequest, Session, Support, logs,
};
use crate::process::{Cause, Exit, Interrupt, Stray};
use crate::suite::{Finding, FindingKind, Granularity, Observations, Outcome, RunEnd, SuiteRun, TestId};
use crate::wording::{counted, plural};

pub struct PytestSession {
    prepared: Rc<Prepared>,
    capabilities: Capabilities,
    interrupt: Interrupt,
    tag: String,
}

impl PytestSession {
    pub fn open(prepared: Rc<Prepared>, tag: &str, interrupt: Interrupt) -> miette::Result<Self> {
        prepared.snapshot.restore()?;
        let capabilities = capabilities(prepared.interpreter.xdist.is_some());
        Ok(PytestSession { prepared, capabilities, interrupt, tag: tag.to_owned() })
    }

    fn invoke(&self, request: &RunRequest) -> miette::Result<Invoked> {
        let prepared = &self.prepared;
        let resources = &request.resources;
        Invocation {
            interpreter: &prepared.interpreter,
            root: &prepared.root,
            task: Task::Run { parallelism: request.parallelism, cores: resources.cores },
            order: prepared.collected.selected(&request.selection),
            folder: &resources.logs.join(logs::safe_label(&request.label)?),
            exchange: &prepared.home.exchange(),
            environment: &prepared.subject.environment,
            cores: Some(resources.cores),
            memory_bytes: resources.memory_bytes,
            time_limit: request.time_limit,
            // Everything of the same tag ends with the run, so no other run may have it.
            tag: format!("{}-{}-{}-{}", self.tag, prepared.subject.name, std::process::id(), unique()),
            user: prepared.user.as_ref(),
        }
        .run(&self.interrupt)
    }
}

/// What pytest lacks for every parallel mode.
const NO_XDIST: &str = "pytest-xdist is not installed in this Python: `python -m pip install pytest-xdist` installs it";
/// Over all sessions of this process.
fn unique() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn capabilities(has_xdist: bool) -> Capabilities {
    let support = |mode| match mode {
        Mode::Sequential | Mode::Project => Support::Full,
        _ if !has_xdist => Support::None(NO_XDIST.to_owned()),
        Mode::Classes | Mode::Methods | Mode::ClassesAndMethods => Support::Full,
    };
    Capabilities {
        selection: Granularity::Occurrence,
        modes: Mode::ALL.into_iter().map(|mode| ModeSupport { mode, support: support(mode) }).collect(),
        imposes_order: true,
        isolations: vec![Isolation::Fresh],
        limits_tests: false,
        enlarges_limits: false,
        modules_at_once: false,
        processes_only: true,
        watches: Instrumentation::default(),
    }
}

impl Session for PytestSession {
    fn engine(&self) -> EngineKind {
        EngineKind::Pytest
    }

    fn tests(&self) -> &[TestId] {
        self.prepared.collected.tests()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        let prepared = Rc::clone(&self.prepared);
        self.capabilities.check_mode(request.parallelism.mode, &prepared.subject.name)?;
        self.capabilities.check_instrumentation(request)?;
        if let Some(why) = self.capabilities.refuses(&request.policy) {
            return Err(miette!("{} cannot be run as asked: {why}", prepared.subject.name));
        }
        let meanwhile = prepared.worktree.before_run(&prepared.snapshot)?;
        let invoked = self.invoke(request)?;
        let unfinished = if invoked.ended.cause == Cause::TimedOut { Outcome::TimedOut } else { Outcome::Crashed };
        let seconds = invoked.ended.cost.wall_seconds;
        let told = events::read_run(&invoked.events(), &prepared.collected, invoked.began, unfinished, seconds)
            .map_err(|error| miette!("what pytest's processes recorded cannot be read: {error}"))?;
        let changes = prepared.worktree.after_run(&prepared.snapshot)?;
        let findings = [findings(&invoked, &told, request), changes.dirty().into_iter().collect()].concat();
        Ok(SuiteRun {
            end: end(&invoked, &told, request.parallelism.mode),
            cost: invoked.ended.cost,
            granularity: Granularity::Occurrence,
            findings: findings.into_iter().chain(meanwhile.made_meanwhile()).collect(),
            executions: told.executions,
            seen: Observations::default(),
        })
    }
}

/// Exit codes of pytest: 0 and 1 where tests ran, 5 where none was selected; others say that it did not come so far.
fn end(invoked: &Invoked, told: &Told, mode: Mode) -> RunEnd {
    let broke = |how: String| {
        let reason = format!("pytest {how}{}", super::prepare::decisive(&invoked.log));
        if told.executions.is_empty() { RunEnd::BuildFailed(reason) } else { RunEnd::Crashed(reason) }
    };
    match (invoked.ended.cause, invoked.ended.exit) {
        (Cause::TimedOut, _) => RunEnd::TimedOut,
        (Cause::Interrupted, _) => RunEnd::Interrupted,
        (Cause::OutOfMemory, _) => RunEnd::Crashed("pytest ran out of memory".to_owned()),
        // A test can end its process with any code. Without workers that process is pytest's own.
        (Cause::Exited, Exit::Code(code)) if mode == Mode::Sequential && !told.open.is_empty() => {
            broke(format!("ended in the middle of a test, with exit code {code}"))
        }
        (Cause::Exited, Exit::Code(0 | 1 | 5)) => RunEnd::Finished,
        (Cause::Exited, Exit::Code(code)) => broke(format!("ended with exit code {code}")),
        (Cause::Exited, Exit::Signal(signal)) => broke(format!("was ended by signal {signal}")),
    }
}

fn findings(invoked: &Invoked, told: &Told, request: &RunRequest) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |kind, text: String| findings.push(Finding::new(kind, text));
    if invoked.ended.cause == Cause::Exited && !told.open.is_empty() {
        let tests: Vec<String> = told.open.iter().map(|index| told.executions[*index].test.to_string()).collect();
        let died = counted(tests.len(), "process died", "processes died");
        add(FindingKind::DeadWorker, format!("{died}, while running {}", tests.join(", ")));
    }
    if told.damaged_lines > 0 {
        let lines = plural(told.damaged_lines, "line");
        add(FindingKind::NotReconciled, format!("{lines} of the records of pytest's processes cannot be read"));
    }
    if let [first, ..] = invoked.ended.strays.as_slice() {
        let Stray { command, .. } = first;
        let count = counted(invoked.ended.strays.len(), "process was", "processes were");
        add(FindingKind::StrayProcesses, format!("{count} left behind and killed, e.g. {command}"));
    }
    if invoked.ended.output_cut {
        add(FindingKind::OutputCut, "the output of pytest was cut at its limit".to_owned());
    }
    let used: std::collections::HashSet<u32> = told.executions.iter().map(|execution| execution.process).collect();
    let asked = workers(&request.parallelism, request.resources.cores);
    let is_parallel = !matches!(request.parallelism.mode, Mode::Sequential | Mode::Project);
    if is_parallel && asked > 1 && told.executions.len() > 1 && used.len() == 1 {
        add(FindingKind::NoConcurrency, format!("all tests ran in one of {asked} processes"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ProcessPolicy;

    #[test]
    fn what_pytest_cannot_do_is_said() {
        let with = capabilities(true);
        assert_eq!(with.support(Mode::Classes), Support::Full);
        assert!(with.refuses(&ProcessPolicy { isolation: Isolation::Warm, ..ProcessPolicy::default() }).is_some());
        let limited = ProcessPolicy { test_limit: Some(std::time::Duration::from_secs(1)), ..ProcessPolicy::default() };
        assert!(with.refuses(&limited).is_some_and(|why| why.contains("time of a single test")));
        let without = capabilities(false);
        assert_eq!(without.support(Mode::Classes), Support::None(NO_XDIST.to_owned()));
        assert_eq!(without.support(Mode::Sequential), Support::Full);
    }
}
