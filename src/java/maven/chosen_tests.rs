//! Options in a project's `.mvn/maven.config` that leave tests out. Maven obeys them in every run, so that such tests are never
//! found, and nothing else tells of it.

use std::path::Path;

use crate::whole_file;

const FILE: &str = ".mvn/maven.config";
/// Properties that choose tests.
const CHOOSING: [&str; 9] = [
    "test",
    "it.test",
    "groups",
    "excludedGroups",
    "surefire.includesFile",
    "surefire.excludesFile",
    "skipTests",
    "skipITs",
    "maven.test.skip",
];

/// A sentence for each such option in the file below the folder whose settings Maven obeys.
pub fn chosen_tests(base: &Path) -> Vec<String> {
    let file = base.join(FILE);
    let is_own = file.canonicalize().is_ok_and(|real| base.canonicalize().is_ok_and(|base| real.starts_with(base)));
    if !is_own {
        return Vec::new();
    }
    let text = whole_file::read(&file).unwrap_or_default();
    let said =
        |option: &str| format!("{FILE} of the project contains `-D{option}`: tests that it leaves out never run");
    choosing_options(&text).into_iter().map(said).collect()
}

/// `name=value` each, however the option is written.
fn choosing_options(text: &str) -> Vec<&str> {
    let mut words = text.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(str::split_whitespace);
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        let option = match word {
            "-D" | "--define" => words.next(),
            word => word.strip_prefix("-D").or_else(|| word.strip_prefix("--define=")),
        };
        let name = |option: &str| option.split('=').next().unwrap_or_default().to_owned();
        options.extend(option.filter(|option| CHOOSING.contains(&name(option).as_str())));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_choose_tests_are_found_however_they_are_written() {
        let text = "-q -Dtest=BadTest#ok\n-D\nskipITs\n--define=groups=fast\n-Dmaven.test.failure.ignore=true\n# -Dit.test=X\n";
        assert_eq!(choosing_options(text), ["test=BadTest#ok", "skipITs", "groups=fast"]);
        assert_eq!(choosing_options("-Dtests=all -T 2 -D"), [""; 0]);
    }

    #[test]
    fn only_the_projects_own_file_is_read() {
        let (project, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(project.path().join(".mvn")).unwrap();
        assert_eq!(chosen_tests(project.path()), [""; 0]);
        std::fs::write(other.path().join("config"), "-Dtest=A").unwrap();
        std::os::unix::fs::symlink(other.path().join("config"), project.path().join(FILE)).unwrap();
        assert_eq!(chosen_tests(project.path()), [""; 0]);
        std::fs::remove_file(project.path().join(FILE)).unwrap();
        std::fs::write(project.path().join(FILE), "-Dtest=A").unwrap();
        assert_eq!(chosen_tests(project.path()).len(), 1);
    }
}
