//! Options that make a JVM start quickly, at the price of slower code later; and shared archives of loaded classes, made
//! once per JDK and class path.
//!
//! What the subject itself chooses is not overridden. An archive that cannot be made is done without: why is kept beside
//! where it would be, so that nobody tries again.

use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::launch::Jvm;
use crate::file_content;
use crate::file_error::file_error;
use crate::folder_handle::open_regular;
use crate::process::Account;
use crate::wording::hex;

/// The first JDK that makes archives of what a program loaded.
const DYNAMIC_ARCHIVES: u32 = 13;
/// Until here JDKs come without an archive of their own classes, and check every class that they load at length.
const BARE: std::ops::Range<u32> = 8..12;

/// The options for a quick start, as far as the subject leaves the choice.
pub fn quick_options(jvm: &Jvm) -> Vec<OsString> {
    let chosen = jvm.chosen_options();
    let has = |test: &dyn Fn(&str) -> bool| chosen.iter().any(|option| test(option));
    let compiles_otherwise = has(&|option| {
        option.contains("TieredStopAtLevel")
            || option.contains("TieredCompilation")
            || option == "-Xint"
            || option == "-Xcomp"
    });
    let collects_otherwise = has(&|option| option.starts_with("-XX:+Use") && option.ends_with("GC"));
    // Nobody looks at counters of a process that lives for a second.
    let mut options: Vec<OsString> = vec!["-XX:-UsePerfData".into()];
    if !compiles_otherwise {
        options.push("-XX:TieredStopAtLevel=1".into());
    }
    if !collects_otherwise {
        options.push("-XX:+UseSerialGC".into());
    }
    if !shares_otherwise(&chosen) {
        options.push("-Xshare:auto".into());
    }
    options
}

fn shares_otherwise(chosen: &[String]) -> bool {
    chosen.iter().any(|option| option.starts_with("-Xshare") || option.contains("SharedArchiveFile"))
}

/// Can archives be made for this way to start processes?
pub fn is_possible(jvm: &Jvm, java_major: Option<u32>) -> bool {
    java_major.is_some_and(|major| major >= DYNAMIC_ARCHIVES) && !shares_otherwise(&jvm.chosen_options())
}

/// Is this a JDK that has to be given an archive of its own classes?
pub fn is_bare(jvm: &Jvm, java_major: Option<u32>) -> bool {
    java_major.is_some_and(|major| BARE.contains(&major)) && !shares_otherwise(&jvm.chosen_options())
}

/// To have such a JDK write the archive, and do nothing else.
pub fn dump_arguments(archive: &Path) -> Vec<OsString> {
    vec!["-XX:+UnlockDiagnosticVMOptions".into(), option("-XX:SharedArchiveFile=", archive), "-Xshare:dump".into()]
}

/// To have a process write what it loaded when it ends.
pub fn training_option(archive: &Path) -> OsString {
    option("-XX:ArchiveClassesAtExit=", archive)
}

/// To start a process of such a JDK with it. Classes that a compiler made need no proof that they are sound.
pub fn bare_options(archive: Option<&Archive>) -> Vec<OsString> {
    let mut options: Vec<OsString> = vec!["-XX:-BytecodeVerificationRemote".into()];
    if let Some(archive) = archive {
        options.extend(["-XX:+UnlockDiagnosticVMOptions".into(), archive.use_option()]);
    }
    options
}

/// The archive of one JDK and class path.
#[derive(Debug, Clone)]
pub struct Archive {
    path: PathBuf,
}

impl Archive {
    /// In parade's cache; whether or not it is there yet.
    pub fn of(jvm: &Jvm, java_version: &str, cache: &Path) -> Self {
        Archive { path: cache.join(format!("{}.jsa", key(jvm, java_version))) }
    }

    /// The one of a bare JDK, whatever the class path.
    pub fn of_jdk(java: &Path, java_version: &str, cache: &Path) -> Self {
        let place = java.as_os_str().as_encoded_bytes();
        let digest = Sha256::digest([java_version.as_bytes(), &[0], place].concat());
        Archive { path: cache.join(format!("jdk-{}.jsa", hex(&digest[..12]))) }
    }

    pub fn exists(&self) -> bool {
        self.path.is_file()
    }

    /// Has it been tried in vain?
    pub fn failed(&self) -> bool {
        self.failure().is_file()
    }

    fn failure(&self) -> PathBuf {
        self.path.with_extension("failed")
    }

    /// To start a process that uses it.
    pub fn use_option(&self) -> OsString {
        option("-XX:SharedArchiveFile=", &self.path)
    }

    /// Makes it: `train` runs a process of this user to its end, which writes it to the path that it is given.
    pub fn make(
        &self,
        user: Option<&Account>,
        train: impl FnOnce(&Path) -> miette::Result<Result<(), String>>,
    ) -> miette::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let broken = |error: std::io::Error| file_error(format_args!("{}", folder.display()), &error);
        std::fs::create_dir_all(folder).map_err(broken)?;
        let work = tempfile::Builder::new().prefix("making-").tempdir_in(folder).map_err(broken)?;
        user.map_or(Ok(()), |user| user.take_over(work.path())).map_err(broken)?;
        let half = work.path().join("archive");
        let trained = train(&half)?;
        let made = trained.and_then(|()| keep(&half, &self.path).map_err(|error| error.to_string()));
        if let Err(why) = made {
            tracing::debug!(archive = %self.path.display(), why, "no archive of classes");
            std::fs::write(self.failure(), why).map_err(broken)?;
        }
        Ok(())
    }
}

fn keep(half: &Path, whole: &Path) -> std::io::Result<()> {
    // A copy: the process that made it could go on writing to its own, and other subjects will load it.
    let from = open_regular(half)?;
    let copy = tempfile::NamedTempFile::new_in(whole.parent().unwrap_or(Path::new(".")))?;
    file_content::copy(&from, copy.as_file(), &|| false)?;
    copy.as_file().set_permissions(PermissionsExt::from_mode(0o644))?;
    copy.as_file().sync_all()?;
    copy.persist(whole).map(drop).map_err(|error| error.error)
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Over everything that makes an archive unfit for a process.
fn key(jvm: &Jvm, java_version: &str) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(part);
        hash.update([0]);
    };
    add(java_version.as_bytes());
    add(jvm.java().as_os_str().as_encoded_bytes());
    for option in jvm.chosen_options() {
        add(option.as_bytes());
    }
    for jar in jvm.jars() {
        add(jar.as_os_str().as_encoded_bytes());
        if let Ok(metadata) = jar.metadata() {
            add(format!("{} {} {}", metadata.len(), metadata.mtime(), metadata.mtime_nsec()).as_bytes());
        }
    }
    hex(&hash.finalize()[..12])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::Launch;
    use std::collections::BTreeMap;

    fn jvm(arg_line: &str, class_path: &[&Path]) -> Jvm {
        let class_path = class_path.iter().map(|path| path.to_path_buf()).collect();
        let launch = Launch { arg_line: arg_line.to_owned(), class_path, ..Launch::default() };
        Jvm::new(&launch, Path::new("/h/parade-jvm.jar"), &BTreeMap::new())
    }

    fn options(arg_line: &str) -> String {
        quick_options(&jvm(arg_line, &[])).join(std::ffi::OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn what_the_subject_chooses_stays() {
        assert_eq!(options(""), "-XX:-UsePerfData -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto");
        assert_eq!(options("-Xmx1g -XX:+UseG1GC"), "-XX:-UsePerfData -XX:TieredStopAtLevel=1 -Xshare:auto");
        assert_eq!(options("-Xint -Xshare:off"), "-XX:-UsePerfData -XX:+UseSerialGC");
        assert!(!is_possible(&jvm("-Xshare:off", &[]), Some(17)));
        assert!(is_possible(&jvm("", &[]), Some(17)));
        assert!(!is_possible(&jvm("", &[]), Some(11)) && !is_possible(&jvm("", &[]), None));
    }

    #[test]
    fn old_jdks_get_an_archive_of_their_own_classes() {
        assert!(is_bare(&jvm("", &[]), Some(8)) && is_bare(&jvm("", &[]), Some(11)));
        assert!(!is_bare(&jvm("", &[]), Some(12)) && !is_bare(&jvm("", &[]), None));
        assert!(!is_bare(&jvm("-Xshare:off", &[]), Some(8)));
        let archive = Archive::of_jdk(Path::new("/jdk/bin/java"), "1.8.0", Path::new("/c"));
        let text = bare_options(Some(&archive)).join(std::ffi::OsStr::new(" ")).into_string().unwrap();
        assert!(text.contains("-XX:SharedArchiveFile=/c/jdk-"), "{text}");
        assert_eq!(bare_options(None).len(), 1);
    }

    #[test]
    fn another_jar_or_jdk_is_another_archive() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("a.jar");
        std::fs::write(&jar, "one").unwrap();
        let key_now = |version| key(&jvm("", &[&jar]), version);
        let first = key_now("17.0.1");
        assert_eq!(first, key_now("17.0.1"));
        assert_ne!(first, key_now("17.0.2"));
        std::fs::write(&jar, "another").unwrap();
        assert_ne!(first, key_now("17.0.1"));
    }

    #[test]
    fn an_archive_is_there_whole_or_not_at_all() {
        let cache = tempfile::tempdir().unwrap();
        let archive = Archive::of(&jvm("", &[]), "17", cache.path());
        archive.make(None, |_| Ok(Err("no".to_owned()))).unwrap();
        assert!(!archive.exists() && archive.failed());
        let made = |path: &Path| {
            std::fs::write(path, "classes").unwrap();
            Ok(Ok(()))
        };
        archive.make(None, made).unwrap();
        assert!(archive.exists());
        assert_eq!(cache.path().read_dir().unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn a_run_that_made_nothing_is_remembered() {
        let cache = tempfile::tempdir().unwrap();
        let archive = Archive::of(&jvm("", &[]), "17", cache.path());
        archive.make(None, |_| Ok(Ok(()))).unwrap();
        assert!(!archive.exists() && archive.failed());
    }
}
