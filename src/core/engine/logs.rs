//! Logs of searches that run a suite hundreds of times: those stay in which a process broke down.

use super::RunRequest;
use crate::suite::{FindingKind, SuiteRun};

/// What cannot be deleted is only room on the disk.
pub fn keep_of_breakdowns_only(request: &RunRequest, run: &SuiteRun) {
    if !run.findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker) {
        let _ = crate::folder_handle::remove_all(&request.resources.logs.join(&request.label));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::engine::{Instrumentation, Parallelism, ProcessPolicy, Resources, Selection};
    use crate::suite::{Cost, Finding, Granularity, RunEnd, Seen};

    fn run(findings: Vec<Finding>) -> SuiteRun {
        SuiteRun {
            executions: Vec::new(),
            cost: Cost::default(),
            end: RunEnd::Finished,
            granularity: Granularity::Occurrence,
            findings,
            seen: Seen::default(),
        }
    }

    fn request(logs: &Path) -> RunRequest {
        RunRequest {
            label: "order-7".to_owned(),
            selection: Selection::All,
            parallelism: Parallelism::SEQUENTIAL,
            resources: Resources { cores: 1, memory_bytes: None, logs: logs.to_owned() },
            time_limit: Duration::from_secs(1),
            policy: ProcessPolicy::default(),
            watch: Instrumentation::default(),
        }
    }

    #[test]
    fn a_breakdown_can_be_read_up() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, others) = (folder.path().join("order-7"), folder.path().join("order-8"));
        for logs in [&ours, &others] {
            std::fs::create_dir_all(logs.join("process-1")).unwrap();
        }
        keep_of_breakdowns_only(&request(folder.path()), &run(vec![Finding::new(FindingKind::DeadWorker, "gone")]));
        assert!(ours.exists());
        keep_of_breakdowns_only(&request(folder.path()), &run(vec![Finding::new(FindingKind::Deviation, "else")]));
        assert!(!ours.exists() && others.exists());
    }
}
