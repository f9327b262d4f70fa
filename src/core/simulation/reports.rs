//! JUnit reports as any build leaves them: a folder of XML files, folders in it, or a single file.
//!
//! A folder is one run of a suite. What is no report is passed over, and links are not followed. A test is known by the
//! folder of its report, which stands for a module, its class, its name, and how often that name came before.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use miette::miette;

use crate::file_error::file_error;
use crate::folders;
use crate::junit_report::{self, Unreadable};
use crate::run_clock::Clock;
use crate::suite::{Execution, TestId};
use crate::wording::{brief, counted, plural};

use super::encoding;

/// Of one report.
const FILE_LIMIT: u64 = 256 << 20;
/// More than any suite has; what pretends to have more would fill the memory.
const MOST_TESTS: usize = 5_000_000;
/// Where builds put reports below a module.
const REPORT_FOLDERS: [&[&str]; 4] = [
    &["target", "surefire-reports"],
    &["target", "failsafe-reports"],
    &["build", "test-results", "test"],
    &["build", "test-results"],
];

#[derive(Debug, Default)]
pub(super) struct Found {
    pub tests: Vec<(TestId, f64)>,
    pub notes: Vec<String>,
}

pub(super) fn read(path: &Path) -> miette::Result<Found> {
    let (folder, files) = if path.is_dir() {
        (path, folders::files(path)?)
    } else {
        (path.parent().unwrap_or(Path::new("")), vec![PathBuf::from(path.file_name().unwrap_or_default())])
    };
    let mut collected = Collected::default();
    let files: Vec<PathBuf> = files.into_iter().filter(|file| is_xml(file)).collect();
    for file in files.iter().filter(|file| !is_copy(folder, file, &files)) {
        collected.read_file(folder, file)?;
    }
    collected.note_damage();
    Ok(collected.found)
}

/// TestNG leaves the same results a second and a third time in folders below those that Surefire reads and writes.
fn is_copy(folder: &Path, file: &Path, files: &[PathBuf]) -> bool {
    let has_reports =
        |above: &Path| files.iter().any(|other| other.parent() == Some(above) && is_named_as_report(other));
    let is_of_surefire = |above: &Path| {
        let whole = folder.join(above);
        let whole = whole.canonicalize().unwrap_or(whole);
        whole.file_name().is_some_and(|name| name == "surefire-reports" || name == "failsafe-reports")
    };
    file.ancestors().skip(2).any(|above| is_of_surefire(above) && has_reports(above))
}

fn is_xml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

#[derive(Default)]
struct Collected {
    found: Found,
    /// How often a name has come, by the test of its first time.
    times: HashMap<TestId, u32>,
    damaged: Vec<String>,
    /// Tests whose time could not be read, and where the first one is.
    timeless: usize,
    first_timeless: Option<String>,
}

impl Collected {
    fn read_file(&mut self, folder: &Path, file: &Path) -> miette::Result<()> {
        let path = folder.join(file);
        let opened = File::open(&path)
            .map_err(|error| file_error(format_args!("{} could not be read", path.display()), &error))?;
        let module = module_of(file);
        let before = self.found.tests.len();
        let ended = encoding::xml(opened.take(FILE_LIMIT)).and_then(|report| {
            junit_report::read_report(report, &module, Clock::now(), &mut |execution| self.add(execution))
        });
        if self.found.tests.len() >= MOST_TESTS {
            return Err(miette!(
                help = "give the folder of one run: all reports in it count as one suite",
                "{} contains more than {MOST_TESTS} tests",
                folder.display()
            ));
        }
        // Other XML files lie beside reports; only what looks like a report can be a damaged one.
        let is_report = self.found.tests.len() > before || is_named_as_report(file);
        match ended {
            Err(why) if is_report => self.damaged.push(format!("{}: {}", brief(&file.to_string_lossy()), brief(&why))),
            Err(_) => {}
            Ok(unreadable) => self.note_times(file, unreadable),
        }
        Ok(())
    }

    fn add(&mut self, execution: Execution) {
        if self.found.tests.len() >= MOST_TESTS {
            return;
        }
        let mut test = execution.test;
        let times = self.times.entry(test.clone()).or_insert(0);
        *times = times.saturating_add(1);
        test.occurrence = *times;
        self.found.tests.push((test, execution.seconds));
    }

    fn note_times(&mut self, file: &Path, unreadable: Unreadable) {
        self.timeless += unreadable.count;
        if let (Some((line, written)), None) = (unreadable.first, &self.first_timeless) {
            let file = brief(&file.to_string_lossy());
            self.first_timeless = Some(format!("{file}, line {line}: `{}`", brief(&written)));
        }
    }

    fn note_damage(&mut self) {
        if let Some(first) = &self.first_timeless {
            let (count, more) = (self.timeless, if self.timeless > 1 { "; and others" } else { "" });
            let text = counted(
                count,
                "time is not a number of seconds and counts as 0",
                "times are not numbers of seconds and count as 0",
            );
            self.found.notes.push(format!("{text}: {first}{more}"));
        }
        let Some(first) = self.damaged.first() else { return };
        let count = self.damaged.len();
        let which = if count == 1 { first.clone() } else { format!("{first}; and {} more", count - 1) };
        self.found.notes.push(format!("{} could not be read to the end: {which}", plural(count, "report")));
    }
}

fn is_named_as_report(file: &Path) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("TEST-"))
}

/// The folder of a report without what build tools append to a module's.
fn module_of(file: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    let parts: Vec<String> = folder
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    let ends = |suffix: &&&[&str]| parts.len() >= suffix.len() && parts[parts.len() - suffix.len()..] == ***suffix;
    let appended = REPORT_FOLDERS.iter().find(ends).map_or(0, |suffix| suffix.len());
    parts[..parts.len() - appended].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        folder
    }

    fn told(found: &Found) -> Vec<(String, f64)> {
        found.tests.iter().map(|(test, seconds)| (test.to_string(), *seconds)).collect()
    }

    #[test]
    fn folders_are_modules_and_repeated_names_are_occurrences() {
        let report = |class: &str| {
            format!(
                "<testsuites><testsuite><testcase classname='{class}' name='t' time='1,000.5'/></testsuite><testsuite>\
                 <testcase classname='{class}' name='t' time='2'/><testcase classname='{class}' name='u'/></testsuite></testsuites>"
            )
        };
        let folder = folder(&[
            ("lib/target/surefire-reports/TEST-a.A.xml", &report("a.A")),
            ("TEST-a.A.xml", &report("a.A")),
            ("junit.xml", &report("b.B")),
            ("pom.xml", "<project><testcase/></project>"),
            ("notes.txt", "<testsuite><testcase classname='x' name='y'/></testsuite>"),
        ]);
        let found = read(folder.path()).unwrap();
        let tests = told(&found);
        assert_eq!(tests[..3], [("a.A#t".into(), 1000.5), ("a.A#t~2".into(), 2.0), ("a.A#u".into(), 0.0)]);
        assert_eq!(tests.iter().filter(|(test, _)| test.starts_with("lib:a.A#")).count(), 3);
        assert_eq!(tests.iter().filter(|(test, _)| test.starts_with("b.B#")).count(), 3);
        let one = read(&folder.path().join("junit.xml")).unwrap();
        assert_eq!((one.tests.len(), one.notes.len()), (3, 0));
    }

    #[test]
    fn what_testng_leaves_below_the_reports_is_no_other_run() {
        let report = "<testsuite><testcase classname='a.A' name='t' time='1'/></testsuite>";
        let both = folder(&[
            ("lib/target/surefire-reports/TEST-TestSuite.xml", report),
            ("lib/target/surefire-reports/junitreports/TEST-a.A.xml", report),
            ("lib/target/surefire-reports/Surefire suite/Surefire test.xml", report),
        ]);
        assert_eq!(read(both.path()).unwrap().tests.len(), 1);
        assert_eq!(read(&both.path().join("lib/target/surefire-reports")).unwrap().tests.len(), 1);
        let others =
            folder(&[("TEST-a.xml", report), ("lib/TEST-a.xml", report), ("surefire-reports/x/a.xml", report)]);
        assert_eq!(read(others.path()).unwrap().tests.len(), 3, "folders that are no such copies count");
    }

    #[test]
    fn reports_come_in_other_encodings_and_their_times_may_be_no_times() {
        let folder =
            folder(&[("TEST-b.xml", "<testsuite>\n<testcase classname='b' name='t' time='soon'/></testsuite>")]);
        let report = |encoding: &str| {
            format!(
                "<?xml version='1.0' encoding='{encoding}'?><testsuite><testcase classname='a' name='zwölf' \
                 time='1'/></testsuite>"
            )
        };
        let wide: Vec<u8> = format!("\u{feff}{}", report("UTF-16")).encode_utf16().flat_map(u16::to_le_bytes).collect();
        let latin: Vec<u8> = report("ISO-8859-1").chars().map(|c| c as u8).collect();
        std::fs::write(folder.path().join("TEST-wide.xml"), wide).unwrap();
        std::fs::write(folder.path().join("TEST-latin.xml"), latin).unwrap();
        let found = read(folder.path()).unwrap();
        let twelve = found.tests.iter().filter(|(test, seconds)| test.name == "zwölf" && *seconds == 1.0).count();
        assert_eq!((twelve, found.tests.len()), (2, 3), "{:?}", found.tests);
        assert_eq!(found.notes, ["1 time is not a number of seconds and counts as 0: TEST-b.xml, line 2: `soon`"]);
    }

    #[test]
    fn damage_is_said_and_no_test_is_lost_to_it() {
        let folder = folder(&[
            ("TEST-a.xml", "<testsuite><testcase classname='a' name='t' time='1'/><testcase na"),
            ("TEST-b.xml", "\u{0}\u{1}<<<"),
            ("TEST-c.xml", "<testsuite><testcase classname='c' name='t' time='2'/></testsuite>"),
            ("build.xml", "<<<"),
        ]);
        let found = read(folder.path()).unwrap();
        assert_eq!(told(&found), [("a#t".into(), 1.0), ("c#t".into(), 2.0)]);
        assert!(found.notes[0].starts_with("2 reports could not be read to the end: TEST-a.xml"), "{:?}", found.notes);
    }

    #[test]
    fn modules_lose_what_build_tools_append() {
        let modules = [
            ("a/b/target/surefire-reports/x.xml", "a/b"),
            ("target/failsafe-reports/x.xml", ""),
            ("app/build/test-results/test/x.xml", "app"),
            ("shop/x.xml", "shop"),
            ("x.xml", ""),
        ];
        for (file, module) in modules {
            assert_eq!(module_of(Path::new(file)), module);
        }
    }
}
