//! Asking the frameworks which tests a suite's classes have, once per build: the answer is kept beside the build's record.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::crew::{Close, Workplace};
use super::request;
use super::roots::{Framework, Listing};
use super::worker::JvmPlace;
use crate::build::Prepared;
use crate::whole_file;

const FILE: &str = "listings.json";

/// Listings as they are kept.
#[derive(Serialize, Deserialize)]
struct Record {
    key: String,
    listings: Vec<Listing>,
}

/// Where the listings of a build lie.
pub struct Shelf {
    path: PathBuf,
    key: String,
}

impl Shelf {
    /// Of this build, made by this helper.
    pub fn of(prepared: &Prepared) -> miette::Result<Self> {
        let mut key = prepared.memory.fingerprint("listing");
        key.value("tests", &prepared.discovery().tests)?;
        key.value("suites", &prepared.discovery().suites)?;
        let key = key.digits(64);
        Ok(Shelf { path: prepared.checkout.root.with_file_name(FILE), key })
    }

    /// A file that is missing, damaged or of another build holds nothing.
    pub fn read(&self) -> Option<Vec<Listing>> {
        let record: Record = serde_json::from_slice(&std::fs::read(&self.path).ok()?).ok()?;
        (record.key == self.key).then_some(record.listings)
    }

    pub fn write(&self, listings: &[Listing]) -> miette::Result<()> {
        whole_file::write_json(&self.path, &Record { key: self.key.clone(), listings: listings.to_vec() })
    }
}

/// Asks one framework. `Err` inside says why there is no whole answer.
pub fn ask(
    place: &JvmPlace<'_>,
    suite: usize,
    framework: Framework,
    roots: &[String],
) -> miette::Result<Result<Listing, String>> {
    let id = place.next_order();
    let text = place.jvm.preamble(1) + &request::listing(id, framework, roots.iter().map(String::as_str));
    let mut worker = place.launch(1, &text, false)?;
    worker.expect(id, place.clock);
    let (answer, close) = place.follow(&mut worker)?;
    place.end(worker)?;
    Ok(match close {
        Close::Done => Ok(Listing { suite, framework, leaves: answer.leaves }),
        Close::Died(how) | Close::NeverBegan(how) => Err(how),
        Close::OutOfTime => Err("it took too long".to_owned()),
        Close::Interrupted => Err("interrupted".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_of_another_build_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = |key: &str| Shelf { path: folder.path().join(FILE), key: key.to_owned() };
        let listing = Listing { suite: 1, framework: Framework::JUnit4, leaves: vec![] };
        assert_eq!(shelf("a").read(), None);
        shelf("a").write(std::slice::from_ref(&listing)).unwrap();
        assert_eq!(shelf("a").read(), Some(vec![listing]));
        assert_eq!(shelf("b").read(), None);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(shelf("a").read(), None);
    }
}
