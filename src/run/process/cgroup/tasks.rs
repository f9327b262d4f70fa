//! How many processes and threads a command may have. It is far more than any suite needs, and keeps one that forks
//! without end from taking the machine with it. Only a cgroup can keep this limit.

use std::fs;
use std::path::{Path, PathBuf};

use super::hierarchy::{self, Hierarchies};
use super::{field, keep_if, make_in};

/// Limits the group of version 2 if it has the controller; else makes one of version 1.
pub fn limit(hierarchies: &Hierarchies, unified: Option<&Path>, name: &str, limit: u64) -> Option<PathBuf> {
    let kept = unified.is_some_and(|group| fs::write(group.join("pids.max"), limit.to_string()).is_ok());
    if kept {
        return None;
    }
    make_in(hierarchies.v1("pids"), name)
        .filter(|group| keep_if(group, &fs::write(group.join("pids.max"), limit.to_string())))
}

/// Lets groups below have the controller. Refused wherever the group has processes of its own: no harm done.
pub fn ask_for(own: &Path) {
    if hierarchy::offers(own, "pids") && !hierarchy::passes_on(own, "pids") {
        let _ = fs::write(own.join("cgroup.subtree_control"), "+pids");
    }
}

/// Was a member refused another process or thread?
pub fn were_refused(group: &Path) -> bool {
    let events = fs::read_to_string(group.join("pids.events")).unwrap_or_default();
    field(&events, "max").is_some_and(|refusals| refusals > 0)
}
