//! Which orders of a version were run to find out about it, and what came of them: the next sitting does not run them again.

use std::collections::HashMap;
use std::path::Path;

use crate::store::order_journal::Journal;
use crate::technique::detect::{Memory, Observation};

/// Several searches ask for the same runs, the original order first of all: each is run once.
#[derive(Debug)]
pub(super) struct OrderMemory {
    journal: Journal,
    known: HashMap<String, Observation>,
}

impl OrderMemory {
    /// What is on record, if it is of the same suite.
    pub fn open(path: &Path, identity: &str) -> miette::Result<Self> {
        let known = HashMap::new();
        if let Some(journal) = Journal::go_on(path, identity)? {
            return Ok(OrderMemory { journal, known });
        }
        if path.exists() {
            std::fs::remove_file(path).map_err(|error| miette::miette!("{}: {error}", path.display()))?;
        }
        Ok(OrderMemory { journal: Journal::begin(path, identity)?, known })
    }
}

impl Memory for OrderMemory {
    fn recall(&mut self, key: &str) -> Option<Observation> {
        if let Some(known) = self.known.get(key) {
            return Some(known.clone());
        }
        let recorded = self.journal.recall(key)?;
        self.known.insert(key.to_owned(), recorded.clone());
        Some(recorded)
    }

    fn keep(&mut self, key: &str, observation: &Observation) -> miette::Result<()> {
        self.journal.keep(key, observation)?;
        self.known.insert(key.to_owned(), observation.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_recalled_again_and_again_and_only_for_the_same_suite() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("orders.jsonl");
        let seen = Observation { seconds: 2.0, ..Observation::default() };
        OrderMemory::open(&path, "one").unwrap().keep("key", &seen).unwrap();
        let mut memory = OrderMemory::open(&path, "one").unwrap();
        assert_eq!((memory.recall("key"), memory.recall("key")), (Some(seen.clone()), Some(seen)));
        assert_eq!(memory.recall("other"), None);
        drop(memory);
        assert_eq!(OrderMemory::open(&path, "another").unwrap().recall("key"), None);
    }
}
