//! Maven repositories whose artifacts are on record. Each subject has one of its own, so that no build or test of one subject
//! can reach another's. It begins as a copy of parade's own repository, which only the build of parade's helper fills.
//!
//! After every run that may download, the repository is *sealed*: each artifact's hash is kept in a file apart from it. Before
//! every use it is *verified*. A file that still has its inode, size and times is taken as unchanged, as nobody can set the time of
//! the last change of an inode; any other is hashed again. Files that Maven itself rewrites (markers, metadata, checksums) are not
//! recorded, and files that are added are not looked for.
//!
//! A build that downloads also runs what the subject brings, and that could replace a jar before it is sealed, Surefire's for
//! example. So what parade's own repository has under the same path must have the same hash, whenever a subject's repository is
//! sealed or verified.
//!
//! A subject of parade's own user can write the records, too. So a record is read once in a session and then kept in memory: what
//! a subject writes there while parade runs counts for nothing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use miette::{Result, miette};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::file_error::file_error;
use crate::folder_handle::{self, EntryKind, FolderHandle};
use crate::home::Home;
use crate::process::Account;
use crate::spec::{Origin, Subject};
use crate::subject::file_state::FileState;
use crate::wording::hex;
use crate::{file_content, folders, whole_file};

/// Of the record; another one is as good as none.
const RECORD_VERSION: u32 = 1;
/// So many changed files an error names.
const MOST_NAMED: usize = 3;
/// What Maven writes about artifacts, by the beginning or the end of the file's name.
const BOOKKEEPING_BEGINS: [&str; 4] =
    ["_remote.repositories", "resolver-status.properties", "maven-metadata", "parade-offline"];
const BOOKKEEPING_ENDS: [&str; 6] = [".lastUpdated", ".sha1", ".md5", ".sha256", ".sha512", ".part"];

/// Records as this process knows them, by their files.
static RECORDS: Mutex<BTreeMap<PathBuf, SealRecord>> = Mutex::new(BTreeMap::new());

/// A Maven repository and the record of its artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRepository {
    folder: PathBuf,
    record: PathBuf,
    /// In messages.
    whose: String,
    /// The folder of a subject that is a folder of this machine.
    source: Option<PathBuf>,
    /// Whose artifacts of the same path must be the same: no subject ever ran there.
    genuine: Option<Box<SealedRepository>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct SealRecord {
    version: u32,
    /// The subject's folder. Once it is gone, nobody needs the repository any more.
    source: Option<PathBuf>,
    artifacts: BTreeMap<PathBuf, ArtifactSeal>,
}

/// What is known of one artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ArtifactSeal {
    sha256: String,
    file: FileState,
}

impl SealedRepository {
    /// The one that parade's helper is built with. Nothing of a subject ever runs on it.
    pub fn of_parade(home: &Home) -> Self {
        SealedRepository {
            folder: home.maven_repository(),
            record: home.maven_seals().join("parade.json"),
            whose: "parade's own Maven repository".to_owned(),
            source: None,
            genuine: None,
        }
    }

    /// The jars of parade's helper for the JVM, which are in Maven and in every test process.
    pub fn of_helper(home: &Home, hash: &str) -> Self {
        SealedRepository {
            folder: home.jvm_helper().join(hash),
            record: home.maven_seals().join(format!("jvm-{hash}.json")),
            whose: "parade's helper for the JVM".to_owned(),
            source: None,
            genuine: None,
        }
    }

    /// An error if it is not as it was sealed. What nobody has sealed yet is sealed as it is.
    pub fn verify_or_seal(&self) -> Result<()> {
        if self.read().artifacts.is_empty() { self.seal() } else { self.verify() }
    }

    /// That of a subject, whatever its revision; of every user that it runs as, another.
    pub fn of_subject(home: &Home, subject: &Subject, user: Option<&Account>) -> Self {
        let user = user.map_or("", |user| user.name.as_str());
        let (origin, source) = match &subject.origin {
            Origin::Git { url, .. } => (url.as_bytes(), None),
            Origin::Folder { path } | Origin::Model { path } => {
                (path.as_os_str().as_encoded_bytes(), Some(path.clone()))
            }
        };
        let digest = Sha256::digest([origin, b"\0", user.as_bytes()].concat());
        let name = format!("{}-{}", subject.family(), &hex(&digest)[..12]);
        SealedRepository {
            folder: home.subject_maven_repositories().join(&name),
            record: home.maven_seals().join(format!("{name}.json")),
            whose: format!("the Maven repository of {}", subject.family()),
            source,
            genuine: Some(Box::new(SealedRepository::of_parade(home))),
        }
    }

    /// Where the distributions of Maven go that this subject's wrapper downloads. The project's own script downloads them, so they
    /// are for no other subject.
    pub fn distributions(&self, home: &Home) -> PathBuf {
        home.maven_distributions().join(self.folder.file_name().unwrap_or_default())
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Makes the repository if it is not there: a copy of `seed`, and its user's own.
    pub fn create_from(&self, seed: &SealedRepository, user: Option<&Account>) -> Result<()> {
        if self.exists() {
            return self.verify();
        }
        let failed = |error: io::Error| file_error(format_args!("{} could not be made", self.folder.display()), &error);
        let parent = self.folder.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(failed)?;
        let draft = tempfile::Builder::new().prefix(".half-").tempdir_in(parent).map_err(failed)?;
        if seed.exists() {
            seed.verify()?;
            folders::copy(&seed.folder, draft.path())?;
        }
        fs::set_permissions(draft.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).map_err(failed)?;
        user.map_or(Ok(()), |user| user.take_over_all(draft.path())).map_err(failed)?;
        match fs::rename(draft.path(), &self.folder) {
            // Another parade was quicker.
            Err(_) if self.exists() => return self.verify(),
            renamed => renamed.map_err(failed)?,
        }
        let _gone = draft.keep();
        // Copies have the content of what was just verified: nothing needs to be hashed.
        let mut artifacts = BTreeMap::new();
        let root = FolderHandle::open(&self.folder).map_err(failed)?;
        for (path, seal) in seed.read().artifacts {
            let facts = root.file_below(&path).and_then(|file| folder_handle::facts_of_open(&file)).map_err(failed)?;
            artifacts.insert(path, ArtifactSeal { sha256: seal.sha256, file: FileState::from_facts(&facts) });
        }
        self.write(artifacts)?;
        self.forget_abandoned()
    }

    /// Removes repositories beside this one that belonged to a folder of the same name which is gone: temporary copies of a
    /// project would fill the disk.
    fn forget_abandoned(&self) -> Result<()> {
        let (Some(records), Some(family)) = (self.record.parent(), family_of(&self.folder)) else { return Ok(()) };
        for entry in fs::read_dir(records).into_iter().flatten().flatten() {
            let folder = self.folder.with_file_name(entry.path().file_stem().unwrap_or_default());
            if folder == self.folder || family_of(&folder) != Some(family) {
                continue;
            }
            let other = SealedRepository { folder, record: entry.path(), ..self.clone() };
            if other.read().source.is_some_and(|source| !source.exists()) {
                crate::subject::snapshot::remove(&other.folder)?;
                crate::subject::snapshot::remove(&other.record)?;
            }
        }
        Ok(())
    }

    /// Takes what is there now as what was downloaded, unless parade has the same artifact with other content.
    pub fn seal(&self) -> Result<()> {
        let known = self.read().artifacts;
        let genuine = self.genuine_hashes();
        let mut replaced = Vec::new();
        let mut artifacts = BTreeMap::new();
        let failed = |error: io::Error| file_error(format_args!("{} could not be read", self.folder.display()), &error);
        let root = FolderHandle::open(&self.folder).map_err(failed)?;
        for path in root.files().map_err(failed)?.into_iter().filter(|path| is_artifact(path)) {
            // What a build beside this one has just removed is no artifact.
            let Some((seal, _)) = examine(&root, &path, known.get(&path))? else { continue };
            replaced.extend(replacement(&path, &seal, &genuine));
            artifacts.insert(path, seal);
        }
        if !replaced.is_empty() {
            return Err(self.changed(&replaced));
        }
        self.write(artifacts)
    }

    fn genuine_hashes(&self) -> BTreeMap<PathBuf, ArtifactSeal> {
        self.genuine.as_ref().map(|genuine| genuine.read().artifacts).unwrap_or_default()
    }

    /// An error names what is not as it was sealed.
    pub fn verify(&self) -> Result<()> {
        let record = self.read();
        let genuine = self.genuine_hashes();
        let mut changed = Vec::new();
        let mut touched = false;
        let mut artifacts = BTreeMap::new();
        let root = FolderHandle::open(&self.folder).ok();
        for (path, seal) in &record.artifacts {
            let found = root.as_ref().map_or(Ok(None), |root| examine(root, path, Some(seal)))?;
            match found {
                Some((now, was_hashed)) if now.sha256 == seal.sha256 => {
                    changed.extend(replacement(path, &now, &genuine));
                    touched |= was_hashed;
                    artifacts.insert(path.clone(), now);
                }
                Some(_) => changed.push(format!("{} has other content", path.display())),
                None => changed.push(format!("{} is gone", path.display())),
            }
        }
        if !changed.is_empty() {
            return Err(self.changed(&changed));
        }
        // Touched, or copied to another disk: the next look is quick again.
        if touched { self.write(artifacts) } else { Ok(()) }
    }

    fn changed(&self, changed: &[String]) -> miette::Report {
        let more = changed.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        miette!(
            help = format!(
                "something other than a build changed it, perhaps a test of some subject. Delete {}; the next run \
                 makes it again. Results since the last build may rest on the changed files",
                self.folder.display()
            ),
            "{} was changed since it was downloaded: {}{more}",
            self.whose,
            changed[..changed.len().min(MOST_NAMED)].join("; ")
        )
    }

    /// A record that is missing, damaged or of another version knows nothing.
    fn read(&self) -> SealRecord {
        let mut records = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
        records.entry(self.record.clone()).or_insert_with(|| self.read_file()).clone()
    }

    fn read_file(&self) -> SealRecord {
        let read = whole_file::read_bytes(&self.record).ok();
        let record: Option<SealRecord> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        record.filter(|record| record.version == RECORD_VERSION).unwrap_or_default()
    }

    fn write(&self, artifacts: BTreeMap<PathBuf, ArtifactSeal>) -> Result<()> {
        let record = SealRecord { version: RECORD_VERSION, source: self.source.clone(), artifacts };
        whole_file::write_json(&self.record, &record)?;
        RECORDS.lock().unwrap_or_else(PoisonError::into_inner).insert(self.record.clone(), record);
        Ok(())
    }
}

/// A file as it is now, and whether it had to be hashed. Nothing if it is not there, or no file any more, or only by way of a link.
fn examine(root: &FolderHandle, path: &Path, known: Option<&ArtifactSeal>) -> Result<Option<(ArtifactSeal, bool)>> {
    let failed = |error: io::Error| miette!("{} could not be read: {error}", root.path().join(path).display());
    let name = path.file_name().unwrap_or_default();
    let folder = match root.descend(path.parent().unwrap_or(Path::new(""))) {
        Err(error) if is_absence(&error) => return Ok(None),
        folder => folder.map_err(failed)?,
    };
    let facts = folder.facts_of(name).map_err(failed)?;
    if let (Some(facts), Some(known)) = (facts, known)
        && facts.kind == EntryKind::File
        && known.file == FileState::from_facts(&facts)
    {
        return Ok(Some((known.clone(), false)));
    }
    let file = match folder.file(name) {
        Err(error) if is_absence(&error) => return Ok(None),
        file => file.map_err(failed)?,
    };
    // The state before the content: whatever changes the file meanwhile changes its state, and it is hashed again.
    let state = FileState::from_facts(&folder_handle::facts_of_open(&file).map_err(failed)?);
    let sha256 = hash(&file).map_err(failed)?;
    Ok(Some((ArtifactSeal { sha256, file: state }, true)))
}

/// What is wrong with an artifact that parade has too.
fn replacement(path: &Path, seal: &ArtifactSeal, genuine: &BTreeMap<PathBuf, ArtifactSeal>) -> Option<String> {
    let is_other = genuine.get(path).is_some_and(|genuine| genuine.sha256 != seal.sha256);
    is_other.then(|| format!("{} has other content than in parade's own repository", path.display()))
}

/// Is nothing there, or something else than what was sought?
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::Other)
}

/// The subject's name in the name of its repository.
fn family_of(folder: &Path) -> Option<&str> {
    folder.file_name()?.to_str()?.rsplit_once('-').map(|(family, _)| family)
}

fn is_artifact(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !BOOKKEEPING_BEGINS.iter().any(|begin| name.starts_with(begin))
        && !BOOKKEEPING_ENDS.iter().any(|end| name.ends_with(end))
}

fn hash(file: &File) -> io::Result<String> {
    Ok(hex(&file_content::hash(file, &|| false)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    struct Cache {
        dir: tempfile::TempDir,
    }

    impl Cache {
        fn new() -> Self {
            Cache { dir: tempfile::tempdir().unwrap() }
        }

        fn repository(&self, name: &str) -> SealedRepository {
            SealedRepository {
                folder: self.dir.path().join(name),
                record: self.dir.path().join(format!("seals/{name}.json")),
                whose: format!("the Maven repository of {name}"),
                source: None,
                genuine: None,
            }
        }

        /// A repository with one artifact in it, sealed.
        fn sealed(&self, name: &str) -> SealedRepository {
            let repository = self.repository(name);
            fs::create_dir_all(repository.folder.join("a/b")).unwrap();
            fs::write(repository.folder.join("a/b/lib.jar"), "classes").unwrap();
            fs::write(repository.folder.join("a/b/_remote.repositories"), "central").unwrap();
            repository.seal().unwrap();
            repository
        }
    }

    #[test]
    fn a_changed_artifact_is_named_though_its_size_and_time_are_as_before() {
        let cache = Cache::new();
        let repository = cache.sealed("s");
        repository.verify().unwrap();
        let jar = repository.folder.join("a/b/lib.jar");
        let before = fs::metadata(&jar).unwrap().modified().unwrap();
        fs::write(&jar, "Classes").unwrap();
        File::options().write(true).open(&jar).unwrap().set_modified(before).unwrap();
        let error = repository.verify().unwrap_err().to_string();
        assert!(error.contains("a/b/lib.jar has other content") && error.contains("repository of s"), "{error}");
        // A build that downloads does not make it right: it is verified before.
        let again = repository.create_from(&cache.sealed("seed"), None).unwrap_err().to_string();
        assert_eq!(again, error);
    }

    #[test]
    fn what_parade_has_too_cannot_be_replaced_before_it_is_sealed() {
        let cache = Cache::new();
        let seed = cache.sealed("seed");
        let subject = SealedRepository { genuine: Some(Box::new(seed.clone())), ..cache.repository("s") };
        subject.create_from(&seed, None).unwrap();
        fs::write(subject.folder.join("a/b/own.jar"), "another artifact").unwrap();
        subject.seal().unwrap();
        fs::write(subject.folder.join("a/b/lib.jar"), "trojan").unwrap();
        let error = subject.seal().unwrap_err().to_string();
        assert!(error.contains("a/b/lib.jar has other content than in parade's own repository"), "{error}");
        // Also where an earlier parade has sealed it.
        SealedRepository { genuine: None, ..subject.clone() }.seal().unwrap();
        let error = subject.verify().unwrap_err().to_string();
        assert!(error.contains("a/b/lib.jar has other content than in parade's own repository"), "{error}");
    }

    #[test]
    fn what_is_gone_or_no_file_any_more_is_named() {
        let cache = Cache::new();
        let repository = cache.sealed("s");
        let jar = repository.folder.join("a/b/lib.jar");
        fs::remove_file(&jar).unwrap();
        assert!(repository.verify().unwrap_err().to_string().contains("a/b/lib.jar is gone"));
        std::os::unix::fs::symlink("/etc/hostname", &jar).unwrap();
        assert!(repository.verify().unwrap_err().to_string().contains("a/b/lib.jar is gone"));
        // Nor by a link on the way, though the content is the same.
        fs::remove_file(&jar).unwrap();
        fs::write(&jar, "classes").unwrap();
        repository.verify().unwrap();
        fs::rename(repository.folder.join("a"), cache.dir.path().join("moved")).unwrap();
        std::os::unix::fs::symlink(cache.dir.path().join("moved"), repository.folder.join("a")).unwrap();
        assert!(repository.verify().unwrap_err().to_string().contains("a/b/lib.jar is gone"));
        repository.seal().unwrap();
        assert_eq!(repository.read().artifacts.len(), 0, "what lies outside is not sealed");
    }

    #[test]
    fn a_record_that_is_changed_along_with_its_artifact_counts_for_nothing() {
        let cache = Cache::new();
        let repository = cache.sealed("s");
        let other = cache.sealed("t");
        fs::write(repository.folder.join("a/b/lib.jar"), "evil").unwrap();
        fs::write(other.folder.join("a/b/lib.jar"), "evil").unwrap();
        other.seal().unwrap();
        fs::copy(&other.record, &repository.record).unwrap();
        assert!(repository.verify().unwrap_err().to_string().contains("a/b/lib.jar has other content"));
        fs::remove_file(&repository.record).unwrap();
        assert!(repository.verify_or_seal().is_err());
    }

    #[test]
    fn what_maven_rewrites_and_a_touched_artifact_are_no_change() {
        let cache = Cache::new();
        let repository = cache.sealed("s");
        fs::write(repository.folder.join("a/b/_remote.repositories"), "other").unwrap();
        fs::write(repository.folder.join("a/b/new.jar"), "added").unwrap();
        let jar = File::options().write(true).open(repository.folder.join("a/b/lib.jar")).unwrap();
        jar.set_modified(SystemTime::now() - Duration::from_secs(1000)).unwrap();
        repository.verify().unwrap();
        assert_eq!(repository.read().artifacts.len(), 1, "only what was sealed is on record");
    }

    #[test]
    fn the_repository_of_a_folder_that_is_gone_goes_too() {
        let cache = Cache::new();
        let seed = cache.sealed("seed");
        let of = |name: &str, source: &str| {
            let source = cache.dir.path().join(source);
            fs::create_dir_all(&source).unwrap();
            SealedRepository { source: Some(source), ..cache.repository(name) }
        };
        let (first, kept) = (of("app-1", "temporary"), of("app-2", "project"));
        let (other, last) = (of("app-more-3", "other"), of("app-4", "copy"));
        for repository in [&first, &kept, &other] {
            repository.create_from(&seed, None).unwrap();
        }
        fs::remove_dir_all(cache.dir.path().join("temporary")).unwrap();
        fs::remove_dir_all(cache.dir.path().join("other")).unwrap();
        last.create_from(&seed, None).unwrap();
        let there: Vec<bool> = [&first, &kept, &other, &last].map(SealedRepository::exists).to_vec();
        assert_eq!(there, [false, true, true, true], "another subject's is not this one's to remove");
        assert!(!first.record.exists());
    }

    #[test]
    fn a_subject_begins_with_a_copy_and_cannot_reach_what_it_was_copied_from() {
        let cache = Cache::new();
        let (seed, first, second) = (cache.sealed("seed"), cache.repository("first"), cache.repository("second"));
        first.create_from(&seed, None).unwrap();
        fs::write(first.folder.join("a/b/lib.jar"), "evil").unwrap();
        second.create_from(&seed, None).unwrap();
        assert_eq!(fs::read_to_string(second.folder.join("a/b/lib.jar")).unwrap(), "classes");
        second.verify().unwrap();
        assert!(first.verify().is_err());
        fs::write(seed.folder.join("a/b/lib.jar"), "evil").unwrap();
        assert!(cache.repository("third").create_from(&seed, None).is_err(), "nothing begins with a changed seed");
    }

    #[test]
    fn what_a_subjects_wrapper_downloads_is_for_no_other_subject() {
        let home = Home::at("/home");
        let one = crate::spec::fingerprint_tests::subject();
        let origin = Origin::Git { url: "https://example.org/other".to_owned(), revision: "v1".to_owned() };
        let other = Subject { origin, ..one.clone() };
        let store = |subject: &Subject| SealedRepository::of_subject(&home, subject, None).distributions(&home);
        assert!(store(&one).starts_with(home.maven_distributions()));
        assert_ne!(store(&one), store(&other));
    }
}
