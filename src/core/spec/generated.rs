//! Tests that a generator wrote for a subject, in place of the project's own: where they are, and a hash of them.

use std::path::{Path, PathBuf};

use miette::Result;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::folders;
use crate::wording::hex;

/// The folder of a build's root module among generated sources.
pub const ROOT_MODULE: &str = "_root";

/// Java sources, below a folder for each module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GeneratedTests {
    #[serde(skip)]
    pub folder: PathBuf,
    /// Of names and contents.
    pub hash: String,
}

impl GeneratedTests {
    /// What lies in a folder.
    pub fn at(folder: &Path) -> Result<Self> {
        let mut digest = Sha256::new();
        for file in folders::files(folder)? {
            let bytes = crate::whole_file::read_bytes(&folder.join(&file))?;
            digest.update(file.as_os_str().as_encoded_bytes());
            digest.update([0]);
            digest.update(Sha256::digest(&bytes));
        }
        Ok(GeneratedTests { folder: folder.to_owned(), hash: hex(&digest.finalize()[..16]) })
    }
}

/// The folder of a module among generated sources: one level deep, whatever the module's path.
pub fn encoded_module(module: &str) -> String {
    if module.is_empty() { ROOT_MODULE.to_owned() } else { module.replace('%', "%25").replace('/', "%2F") }
}
