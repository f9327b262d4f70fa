//! What a group is called, so that any later parade can tell whether the one that made it still lives.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::tree::Process;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// `parade-<pid>-<start time>-<pid namespace>-<count>`: unique on a machine until it boots again.
pub fn new_name() -> String {
    let pid = std::process::id();
    let start = i32::try_from(pid).ok().and_then(Process::read).map_or(0, |process| process.id.start);
    format!("parade-{pid}-{start}-{}-{}", namespace(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Is this a group's name, and is its maker dead? A process of another namespace cannot be judged from here.
pub fn owner_is_gone(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("parade-") else { return false };
    let parts: Vec<u64> = rest.split('-').filter_map(|part| part.parse().ok()).collect();
    let [pid, start, made_in, _] = parts[..] else { return false };
    let Ok(pid) = i32::try_from(pid) else { return false };
    made_in == namespace() && Process::read(pid).is_none_or(|process| process.id.start != start)
}

/// The inode of the process id namespace, out of a link such as `pid:[4026531836]`.
fn namespace() -> u64 {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_owner_keeps_its_groups() {
        let name = new_name();
        assert!(!owner_is_gone(&name));
        assert_ne!(name, new_name());
    }

    #[test]
    fn a_recycled_process_id_is_no_owner() {
        let pid = std::process::id();
        assert!(owner_is_gone(&format!("parade-{pid}-1-{}-0", namespace())));
    }

    #[test]
    fn what_is_not_ours_to_judge_is_left_alone() {
        for name in ["parade", "parade-1", "parade-x-1-1-0", "parade-999999-1-1-0", "user.slice", "parade-1-2-3-4-5"] {
            assert!(!owner_is_gone(name), "{name}");
        }
    }
}
