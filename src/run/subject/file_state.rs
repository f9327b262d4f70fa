//! What the file system shows of a file, to tell whether anybody has written it since.

use serde::{Deserialize, Serialize};

use crate::folder_handle::EntryFacts;

/// As long as this stays the same, nobody has written the file. The change time follows from the clock, and cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    #[serde(alias = "bytes")]
    size: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    pub fn from_facts(facts: &EntryFacts) -> Self {
        FileState { size: facts.size, inode: facts.inode, modified: facts.modified, changed: facts.changed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_earlier_caches_are_readable() {
        let state = FileState { size: 3, inode: 7, modified: (1, 2), changed: (3, 4) };
        for name in ["size", "bytes"] {
            let text = format!("{{\"inode\":7,\"{name}\":3,\"modified\":[1,2],\"changed\":[3,4]}}");
            assert_eq!(serde_json::from_str::<FileState>(&text).unwrap(), state);
        }
    }
}
