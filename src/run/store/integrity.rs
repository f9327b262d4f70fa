//! Is a run folder what parade wrote? The journal by its chain, the executions of trials and what describes the run by the hashes
//! in its lines, and the derived tables by those that were noted when they were derived. What is wrong is told; nothing is refused.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::journal::{ChainState, JournalDoubts};
use super::record::RunData;
use super::{RunFolder, layout, write_atomically};
use crate::folder_handle::{self, FolderHandle};
use crate::wording::{hex, plural};

/// The hashes of the derived tables.
const DERIVED_HASHES: &str = "derived.json";
const DERIVED: [&str; 2] = ["tests.parquet", "trials.csv"];
const LARGEST_HASHES: u64 = 64 << 10;
/// Of a table or the executions of a trial.
const LARGEST_FILE: u64 = 64 << 30;
/// Of a journal without a chain.
pub const UNCHAINED: &str = "the journal has no chain of hashes: a version of parade without chains wrote it, or someone \
    removed the chain. Changes to the journal cannot be detected";
/// Files beyond these are counted, not named.
const MOST_NAMED: usize = 3;

impl JournalDoubts {
    /// A sentence for each.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let altered = self.altered.iter().map(|doubt| format!("the record was changed after it was written: {doubt}"));
        let unchained = self.unchained.then(|| UNCHAINED.to_owned());
        altered.chain(unchained).collect::<Vec<_>>().into_iter()
    }
}

impl RunFolder {
    /// What shows that somebody changed the record. A folder that cannot be read is told elsewhere.
    pub fn doubts(&self, run: &RunData) -> JournalDoubts {
        let Ok(folder) = FolderHandle::open(self.dir()) else { return JournalDoubts::default() };
        let journal = folder_handle::open_regular(&self.journal_path());
        let Ok(chain) = journal.and_then(|file| ChainState::read(BufReader::new(file))) else {
            return JournalDoubts::default();
        };
        let mut doubts = chain.doubts(&folder);
        let mut files = chain.changed_settings(&folder);
        for trial in &run.trials {
            let path = self.tests_of(&trial.trial);
            let recorded = chain.tests.get(&trial.trial).filter(|_| layout::is_plain_name(&trial.trial));
            if recorded.is_some_and(|recorded| differs(&path, recorded)) {
                files.push(format!("tests/{}.parquet", trial.trial));
            }
        }
        let derived = read_hashes(&folder).unwrap_or_default();
        let is_unknown = |name: &&str| !derived.contains_key(*name) && self.dir().join(name).exists();
        if !doubts.unchained
            && let Some(unknown) = DERIVED.into_iter().find(is_unknown)
        {
            doubts
                .altered
                .push(format!("{unknown} cannot be checked, because {DERIVED_HASHES} does not have its hash"));
        }
        let changed = derived
            .iter()
            .filter(|(name, hash)| DERIVED.contains(&name.as_str()) && differs(&self.dir().join(name), hash));
        files.extend(changed.map(|(name, _)| name.clone()));
        doubts.altered.extend(told(&files));
        doubts
    }

    /// Notes what a derived table is, right after it was written. What is known of the others stays: nobody has looked at them.
    pub(super) fn note_derived(&self, name: &str) -> miette::Result<()> {
        let broken = |error: io::Error| miette::miette!("{}: {error}", self.dir().join(name).display());
        let known = FolderHandle::open(self.dir()).and_then(|folder| read_hashes(&folder));
        let mut hashes = known.unwrap_or_default();
        hashes.insert(name.to_owned(), hash_file(&self.dir().join(name)).map_err(broken)?);
        let text = serde_json::to_vec_pretty(&hashes).map_err(|error| miette::miette!("{DERIVED_HASHES}: {error}"))?;
        write_atomically(&self.dir().join(DERIVED_HASHES), &text)
    }
}

/// A file that is gone is told by whoever needs it.
fn differs(path: &Path, recorded: &str) -> bool {
    match hash_file(path) {
        Ok(hash) => hash != recorded,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

fn told(files: &[String]) -> Option<String> {
    let named: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = files.len() - named.len();
    let rest = if more > 0 { format!(" and {}", plural(more, "more file")) } else { String::new() };
    let verb = if files.len() == 1 { "is" } else { "are" };
    (!files.is_empty()).then(|| format!("{}{rest} {verb} not what parade wrote", named.join(", ")))
}

fn read_hashes(folder: &FolderHandle) -> io::Result<BTreeMap<String, String>> {
    let bytes = folder_handle::read_bounded(folder.file(DERIVED_HASHES.as_ref())?, LARGEST_HASHES)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// A file that nobody could have written so far is not read to its end, which may be terabytes away.
pub(super) fn hash_file(path: &Path) -> io::Result<String> {
    let file: File = folder_handle::open_regular(path)?;
    let claimed = file.metadata()?;
    if claimed.len() > LARGEST_FILE || has_large_holes(&claimed) {
        return Err(io::Error::other("it is larger than anything that parade writes, or has large holes"));
    }
    let mut file = file.take(claimed.len());
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 128 << 10];
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..length]);
    }
}

/// parade writes no holes. A file system that compresses can make as much smaller, but not what is compressed already.
fn has_large_holes(claimed: &std::fs::Metadata) -> bool {
    const LARGE: u64 = 64 << 20;
    const MOST_COMPRESSED: u64 = 32;
    claimed.len() > LARGE && claimed.blocks().saturating_mul(512) < claimed.len() / MOST_COMPRESSED
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::layout::tests::manifest;
    use crate::store::record::tests::trial;
    use crate::store::record::{Environment, ExecutionRow, RunManifest};
    use crate::store::{OpenRun, export, export_rewritten, locate};

    fn recorded(results: &Path) -> RunFolder {
        let folder = locate(results, "e").unwrap().create(&manifest(), "text", &Environment::default()).unwrap();
        let mut run = OpenRun::open(folder.dir()).unwrap();
        for name in ["one", "two"] {
            run.record_trial(&trial(name), &[] as &[ExecutionRow]).unwrap();
        }
        folder.derive_tables().unwrap();
        folder
    }

    fn doubts(folder: &RunFolder) -> Vec<String> {
        // Trials of this plan or not: their files are looked at all the same.
        let mut run = folder.read().unwrap();
        run.trials = vec![trial("one"), trial("two")];
        folder.doubts(&run).altered
    }

    #[test]
    fn a_changed_file_of_executions_or_table_is_named() {
        let results = tempfile::tempdir().unwrap();
        let folder = recorded(results.path());
        assert!(doubts(&folder).is_empty(), "{:?}", doubts(&folder));
        for name in ["tests/one.parquet", "tests.parquet", "trials.csv"] {
            let path = folder.dir().join(name);
            let before = fs::read(&path).unwrap();
            fs::write(&path, "else").unwrap();
            let found = doubts(&folder);
            assert!(found.len() == 1 && found[0].contains(name), "{name}: {found:?}");
            fs::write(&path, before).unwrap();
        }
        fs::remove_file(folder.dir().join(DERIVED_HASHES)).unwrap();
        assert!(doubts(&folder)[0].contains("tests.parquet cannot be checked"), "{:?}", doubts(&folder));
        folder.note_derived("trials.csv").unwrap();
        assert!(
            doubts(&folder)[0].contains("tests.parquet cannot be checked"),
            "one table does not vouch for the other"
        );
        folder.note_derived("tests.parquet").unwrap();
        assert!(doubts(&folder).is_empty());
        fs::remove_file(folder.dir().join("tests/one.parquet")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.dir().join("tests/one.parquet")).unwrap();
        assert!(doubts(&folder)[0].contains("tests/one.parquet"));
    }

    #[test]
    fn a_file_that_claims_to_be_enormous_is_named_without_being_read() {
        let results = tempfile::tempdir().unwrap();
        let folder = recorded(results.path());
        for name in ["tests/one.parquet", "tests.parquet", "trials.csv"] {
            let path = folder.dir().join(name);
            let before = fs::read(&path).unwrap();
            File::options().write(true).open(&path).unwrap().set_len(90 << 20).unwrap();
            let error = hash_file(&path).unwrap_err().to_string();
            assert!(error.contains("large holes"), "{error}");
            assert_eq!(doubts(&folder), [format!("{name} is not what parade wrote")]);
            fs::write(&path, before).unwrap();
        }
    }

    #[test]
    fn a_change_of_what_describes_the_run_is_seen_and_stays_to_be_seen() {
        for name in ["manifest.json", "environment.json", "experiment.toml"] {
            let results = tempfile::tempdir().unwrap();
            let folder = recorded(results.path());
            let path = folder.dir().join(name);
            let before = fs::read_to_string(&path).unwrap();
            fs::write(&path, format!("{before} ")).unwrap();
            let expected = [format!("{name} is not what parade wrote")];
            assert_eq!(doubts(&folder), expected);
            let mut run = OpenRun::open(folder.dir()).unwrap();
            run.record_trial(&trial("three"), &[] as &[ExecutionRow]).unwrap();
            assert_eq!(doubts(&folder), expected, "a run that goes on with it does not make it right");
        }
    }

    #[test]
    fn changes_that_parade_makes_are_no_alarm_whenever_it_is_killed() {
        let results = tempfile::tempdir().unwrap();
        let folder = recorded(results.path());
        let path = folder.dir().join("manifest.json");
        let before = fs::read(&path).unwrap();
        let mut run = OpenRun::open(folder.dir()).unwrap();
        let other = RunManifest { host: "other".into(), ..manifest() };
        run.accept(&other, "other text", &Environment::default()).unwrap();
        assert_eq!(doubts(&folder), [] as [String; 0]);
        let after = fs::read(&path).unwrap();
        fs::write(&path, &before).unwrap();
        assert_eq!(doubts(&folder), [] as [String; 0], "killed before the file was written");
        drop(run);
        let mut run = OpenRun::open(folder.dir()).unwrap();
        run.record_trial(&trial("three"), &[] as &[ExecutionRow]).unwrap();
        assert_eq!(doubts(&folder), [] as [String; 0], "and resumed");
        fs::write(&path, &after).unwrap();
        assert_eq!(doubts(&folder).len(), 1, "what is stated counts, not what was once announced");
    }

    #[test]
    fn a_folder_that_states_no_settings_is_no_alarm() {
        let results = tempfile::tempdir().unwrap();
        let folder = recorded(results.path());
        // As parade wrote it before its lines had these hashes.
        let mut previous = String::new();
        let mut text = String::new();
        for line in fs::read_to_string(folder.journal_path()).unwrap().lines() {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["chain"].as_object_mut().unwrap().remove("settings");
            line["chain"]["previous"] = previous.into();
            previous = super::super::journal::hash(line.to_string().as_bytes());
            text.push_str(&format!("{line}\n"));
        }
        fs::write(folder.journal_path(), &text).unwrap();
        let end = format!("{{\"lines\":{:>20},\"end\":\"{previous:<64}\"}}\n", text.lines().count());
        fs::write(folder.dir().join("journal.end"), end).unwrap();
        fs::write(folder.dir().join("experiment.toml"), "changed").unwrap();
        assert_eq!(doubts(&folder), [] as [String; 0]);
        let mut run = OpenRun::open(folder.dir()).unwrap();
        run.record_trial(&trial("three"), &[] as &[ExecutionRow]).unwrap();
        assert_eq!(doubts(&folder), [] as [String; 0]);
        fs::write(folder.dir().join("experiment.toml"), "changed again").unwrap();
        assert_eq!(doubts(&folder).len(), 1, "from then on it is stated");
    }

    #[test]
    fn executions_are_not_written_by_way_of_a_link() {
        let results = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(recorded(results.path()).dir()).unwrap();
        let mut run = OpenRun::open(folder.dir()).unwrap();
        let outside = results.path().join("outside");
        fs::rename(folder.dir().join("tests"), &outside).unwrap();
        std::os::unix::fs::symlink(&outside, folder.dir().join("tests")).unwrap();
        let error = run.record_trial(&trial("three"), &[] as &[ExecutionRow]).unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
        assert!(!outside.join("three.parquet").exists());
    }

    #[test]
    fn copies_keep_what_was_wrong_with_the_original() {
        let results = tempfile::tempdir().unwrap();
        let folder = recorded(results.path());
        let clean = [results.path().join("copy"), results.path().join("rewritten")];
        assert!(doubts(&export(&folder, &clean[0]).unwrap()).is_empty());
        let same = |_: Option<&str>, text: &str| text.to_owned();
        assert!(doubts(&export_rewritten(&folder, &clean[1], &same).unwrap()).is_empty());

        let journal = fs::read_to_string(folder.journal_path()).unwrap();
        fs::write(folder.journal_path(), journal.replacen("clean", "failing", 1)).unwrap();
        assert_eq!(doubts(&folder).len(), 1);
        assert_eq!(doubts(&export(&folder, &results.path().join("copy-2")).unwrap()).len(), 1);
        let rewritten = export_rewritten(&folder, &results.path().join("rewritten-2"), &same).unwrap();
        assert_eq!(doubts(&rewritten), doubts(&folder));
    }
}
