//! Where the logs of a run go. Of searches that run a suite hundreds of times, those stay in which a process broke down.

use std::path::{Component, Path};

use miette::miette;

use super::RunRequest;
use crate::suite::{FindingKind, SuiteRun};

/// What cannot be deleted is only room on the disk.
pub fn keep_of_breakdowns_only(request: &RunRequest, run: &SuiteRun) {
    if !run.findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker) {
        let _ = crate::folder_handle::remove_all(&request.resources.logs.join(&request.label));
    }
}

/// The name of a run is the name of its folder.
pub fn safe_label(label: &str) -> miette::Result<&str> {
    let mut components = Path::new(label).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(name)), None) if name == label => Ok(label),
        _ => Err(miette!("`{label}` cannot be the name of a run: it must be a plain folder name")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::Resources;
    use crate::suite::{Cost, Finding, Granularity, Observations, RunEnd};

    fn run(findings: Vec<Finding>) -> SuiteRun {
        SuiteRun {
            executions: Vec::new(),
            cost: Cost::default(),
            end: RunEnd::Finished,
            granularity: Granularity::Occurrence,
            findings,
            seen: Observations::default(),
        }
    }

    fn request(logs: &Path) -> RunRequest {
        RunRequest::sequential(
            "order-7",
            Resources { cores: 1, memory_bytes: None, logs: logs.to_owned() },
            Duration::from_secs(1),
        )
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

    #[test]
    fn a_label_stays_in_its_folder() {
        assert!(safe_label("stage-1").is_ok());
        for label in ["", "..", "a/b", "/a", "a/", "."] {
            assert!(safe_label(label).is_err(), "{label}");
        }
    }
}
