//! Is there a JDK in a folder, and which one?

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Jdk, Version};
use crate::process;

/// A release file is a few lines; a longer one is something else.
const RELEASE_LIMIT: u64 = 64 << 10;
/// For a JVM to start and say its version, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Vendors with longer names are cut.
const VENDOR_LENGTH: usize = 60;

pub(super) fn examine(folder: &Path) -> Result<Jdk, String> {
    let home = folder.canonicalize().map_err(|error| error.to_string())?;
    if !home.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    let javac = home.join("bin/javac");
    match (is_program(&javac), is_program(&home.join("bin/java"))) {
        (true, true) => {}
        (false, true) => return Err("it has no bin/javac: a runtime, not a JDK".to_owned()),
        (true, false) => return Err("it has no bin/java".to_owned()),
        (false, false) => return Err("it has no bin/javac".to_owned()),
    }
    let release = release(&home);
    let text = match value(&release, "JAVA_VERSION") {
        Some(version) => version,
        None => ask(&javac, &home)?,
    };
    let version = Version::parse(&text).ok_or_else(|| format!("its version {text:?} is not known"))?;
    let vendor = value(&release, "IMPLEMENTOR").map(|vendor| vendor.chars().take(VENDOR_LENGTH).collect());
    Ok(Jdk { home, version, vendor, found_by: Vec::new() })
}

pub fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// What the JDK's own description says; nothing where it has none that can be read.
fn release(home: &Path) -> String {
    let mut bytes = Vec::new();
    let path: PathBuf = home.join("release");
    // A pipe of that name would keep whoever opens it waiting.
    if fs::metadata(&path).is_ok_and(|metadata| metadata.is_file())
        && let Ok(file) = File::open(&path)
    {
        // What can be read counts.
        let _ = file.take(RELEASE_LIMIT).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn value(release: &str, key: &str) -> Option<String> {
    let line = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
    let value: String = line.trim().trim_matches('"').chars().filter(|c| !c.is_control()).collect();
    (!value.is_empty()).then_some(value)
}

/// Debian's 8 has no release file, so its compiler is asked. It answers on standard error.
fn ask(javac: &Path, home: &Path) -> Result<String, String> {
    let environment = [("JAVA_HOME".to_owned(), home.to_string_lossy().into_owned())];
    let said = process::ask(javac, &["-version"], environment.into(), PATIENCE).map_err(|error| error.to_string())?;
    let version = said.lines().find_map(|line| line.trim().strip_prefix("javac "));
    version
        .map(|version| version.trim().to_owned())
        .ok_or_else(|| format!("its javac does not print a version, but {:?}", first_line(&said)))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(100).collect()
}
