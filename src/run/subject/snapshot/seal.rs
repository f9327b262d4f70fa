//! What a snapshot held when it was made: the hash of every file and link in it, and by what the file system would show that
//! one was touched. Whoever can write the snapshot can write its seal too; keeping others out is the snapshot's matter.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::file_content::ContentHash;
use crate::folder_handle::{self, EntryFacts, EntryKind};
use crate::subject::file_state::FileState;

const LARGEST: u64 = 1 << 30;

#[derive(Debug, Default)]
pub(super) struct Seal {
    entries: BTreeMap<PathBuf, Sealed>,
}

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
struct Sealed {
    /// Of a file's content or a link's target; none of a folder.
    hash: Option<ContentHash>,
    /// None for folders and links, which are cheap to compare.
    file: Option<FileState>,
}

impl Seal {
    pub fn add(&mut self, path: PathBuf, hash: ContentHash, kept: Option<&EntryFacts>) {
        let file = kept.filter(|facts| facts.kind == EntryKind::File).map(FileState::from_facts);
        self.entries.insert(path, Sealed { hash: Some(hash), file });
    }

    pub fn add_folder(&mut self, path: PathBuf) {
        self.entries.insert(path, Sealed { hash: None, file: None });
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.entries.keys()
    }

    /// Does the file system say that nobody has written it?
    pub fn is_untouched(&self, path: &Path, facts: &EntryFacts) -> bool {
        let sealed = self.entries.get(path).and_then(|sealed| sealed.file);
        facts.kind == EntryKind::File && sealed == Some(FileState::from_facts(facts))
    }

    /// Was this kept under this path?
    pub fn holds(&self, path: &Path, facts: &EntryFacts, hash: Option<ContentHash>) -> bool {
        let Some(sealed) = self.entries.get(path) else { return false };
        let same_kind = match facts.kind {
            EntryKind::File => sealed.file.is_some(),
            EntryKind::Link => sealed.hash.is_some() && sealed.file.is_none(),
            EntryKind::Folder => sealed.hash.is_none(),
            EntryKind::Special => false,
        };
        same_kind && sealed.hash == hash
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        let lines: Vec<(&[u8], &Sealed)> =
            self.entries.iter().map(|(path, sealed)| (path.as_os_str().as_bytes(), sealed)).collect();
        std::fs::write(path, serde_json::to_vec(&lines)?)
    }

    /// `None` where there is none.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        let bytes = match folder_handle::read_regular(path, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let lines: Vec<(Vec<u8>, Sealed)> = serde_json::from_slice(&bytes)?;
        let entries = lines.into_iter().map(|(path, sealed)| (OsString::from_vec(path).into(), sealed)).collect();
        Ok(Some(Seal { entries }))
    }
}
