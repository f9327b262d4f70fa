//! What runs an artifact: the scripts, and the program that made the run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use miette::miette;

use super::anonymizer::Anonymizer;

/// POSIX shell, nothing else.
const SCRIPTS: [(&str, &str); 3] = [
    ("run-short", include_str!("templates/run.sh")),
    ("run-full", include_str!("templates/run.sh")),
    ("rebuild-report", include_str!("templates/rebuild-report.sh")),
];
const CHECK: &str = include_str!("templates/check.sh");
const FIND_PARADE: &str = include_str!("templates/find-parade.sh");

/// Stands in the scripts where the name of an experiment belongs.
const NAME: &str = "@NAME@";
/// And that of its file.
const FILE: &str = "@FILE@";
/// And the folder of its file.
const FOLDER: &str = "@FOLDER@";
/// And how many files there are.
const FILES: &str = "@FILES@";
const FINDING: &str = "# @FIND@\n";

/// The names of the experiments that the scripts run; without a short one there is no script for it.
pub(super) struct Names<'a> {
    /// Where their files are.
    pub folder: &'a Path,
    pub full: &'a str,
    pub short: Option<&'a str>,
}

pub(super) fn write_scripts(folder: &Path, names: &Names<'_>) -> miette::Result<()> {
    for (script, text) in SCRIPTS {
        let (name, file) =
            if script == "run-short" { (names.short, "short.toml") } else { (Some(names.full), "full.toml") };
        let Some(name) = name else { continue };
        let text = text.replace(FINDING, FIND_PARADE).replace(NAME, &quoted(name)).replace(FILE, file);
        let text = text.replace(FOLDER, &quoted(&names.folder.to_string_lossy()));
        write_script(&folder.join(script), &text)?;
    }
    Ok(())
}

/// The script that checks the files. It knows how many are listed, itself among them: a list that lost lines is found out.
pub(super) fn write_check(folder: &Path, files: usize) -> miette::Result<()> {
    write_script(&folder.join("check"), &CHECK.replace(FILES, &files.to_string()))
}

fn write_script(path: &Path, text: &str) -> miette::Result<()> {
    crate::whole_file::write_atomically(path, text.as_bytes())?;
    make_executable(path)
}

/// As one word of a shell, whatever it holds.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '=' | ',');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn make_executable(path: &Path) -> miette::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .map_err(|error| miette!("{} could not be made executable: {error}", path.display()))
}

/// Is the program in the artifact, and if not, why?
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Program {
    Included,
    LeftOut(String),
}

/// Copies this very program. In an anonymous artifact only if it does not tell where it was built.
pub(super) fn copy_program(folder: &Path, veil: Option<&Anonymizer>) -> miette::Result<Program> {
    let Ok(program) = std::env::current_exe() else {
        return Ok(Program::LeftOut("the running program has no file".to_owned()));
    };
    let failed = |error: std::io::Error| miette!("{} could not be copied: {error}", program.display());
    if let Some(veil) = veil {
        let bytes = fs::read(&program).map_err(failed)?;
        if tells_its_origin(&bytes, veil) {
            let why = "it contains names or folders of the machine that it was built on";
            return Ok(Program::LeftOut(why.to_owned()));
        }
    }
    let target = folder.join("bin/parade");
    fs::create_dir_all(folder.join("bin")).map_err(failed)?;
    fs::copy(&program, &target).map_err(failed)?;
    make_executable(&target)?;
    Ok(Program::Included)
}

/// Rust programs hold the folders of their sources, unless these were taken out when they were built.
fn tells_its_origin(bytes: &[u8], veil: &Anonymizer) -> bool {
    let of_cargo = b"/.cargo/registry/src/";
    let paths = memchr::memmem::find_iter(bytes, of_cargo);
    let is_absolute = |at: usize| {
        let before = &bytes[at.saturating_sub(60)..at];
        let start = before.iter().rposition(|byte| !(byte.is_ascii_graphic())).map_or(0, |place| place + 1);
        before[start..].contains(&b'/')
    };
    paths.into_iter().any(is_absolute) || veil.found_in(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell_hold_anything() {
        assert_eq!(quoted("paste-short"), "paste-short");
        assert_eq!(quoted("a'b $(c)"), "'a'\\''b $(c)'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_program_tells_where_it_was_built() {
        let veil = Anonymizer::default();
        assert!(tells_its_origin(b"\0/home/x/.cargo/registry/src/a\0", &veil));
        assert!(!tells_its_origin(b"\0.cargo registry\0", &veil));
    }
}
