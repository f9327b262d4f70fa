//! A failed test as a developer needs it: what it said, where it failed, and the commands that run it again. Pure text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::invocation::Invocation;
use crate::shown_text::visible_character;
use crate::suite::TestId;

/// Of a message on a terminal.
const MOST_LINES: usize = 15;
const LONGEST_LINE: usize = 400;

/// What was thrown, without the frames: all lines up to a limit, and a word about the rest.
pub fn message(trace: &str) -> String {
    let head = trace.split("\n\tat ").next().unwrap_or_default().trim_end();
    let mut lines: Vec<String> = Vec::new();
    for line in head.lines() {
        if lines.len() == MOST_LINES {
            lines.push(format!("… {} more lines, in the report", head.lines().count() - MOST_LINES));
            break;
        }
        let dotted = line.chars().take(LONGEST_LINE).map(|c| if c.is_control() && c != '\t' { '·' } else { c });
        let shown: String = dotted.flat_map(visible_character).collect();
        lines.push(if line.chars().count() > LONGEST_LINE { shown + "…" } else { shown });
    }
    lines.join("\n")
}

/// Environment variables that a message names and that are set here, but not for the tests: a run starts with an empty
/// environment.
pub fn withheld_variables(
    trace: &str,
    passed_on: &BTreeMap<String, String>,
    is_set_here: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let head = message(trace);
    let words = head.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_name = |word: &&str| {
        word.len() > 2
            && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let names = words.filter(is_name).filter(|name| !passed_on.contains_key(*name) && is_set_here(name));
    names.map(str::to_owned).collect()
}

/// Where the test failed, by its own class or one around or in it: file name and line.
pub fn place(trace: &str, class: &str) -> Option<(String, u32)> {
    let outer = class.split('$').next().unwrap_or(class);
    for line in trace.lines() {
        let Some(frame) = line.trim_start().strip_prefix("at ") else { continue };
        // Before it a class loader and a module can stand.
        let frame = frame.rsplit_once('/').map_or(frame, |(_, frame)| frame);
        let Some((method, source)) = frame.split_once('(') else { continue };
        let thrower = method.rsplit_once('.').map_or(method, |(class, _)| class);
        let is_own = thrower.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'));
        if let (true, Some((file, number))) = (is_own, source.trim_end_matches(')').split_once(':')) {
            return Some((file.to_owned(), number.parse().ok()?));
        }
    }
    None
}

/// The source of a test class below the module's folder, where it is where sources of tests usually are.
pub fn source_file(project: &Path, module: &str, class: &str, file: &str) -> Option<PathBuf> {
    let package = class.rsplit_once('.').map(|(package, _)| package.replace('.', "/")).unwrap_or_default();
    let roots = ["src/test/java", "src/test/kotlin", "src/test/groovy", "src/test/scala"];
    let below = |root: &&str| Path::new(module).join(root).join(&package).join(file);
    roots.iter().map(below).find(|path| project.join(path).is_file())
}

/// What runs a test again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgainCommands {
    pub maven: String,
    pub parade: String,
}

/// How the project is built: with these, a test is run again as it was run.
#[derive(Debug, Clone, Copy)]
pub struct BuildOptions<'a> {
    /// How Maven is started by hand.
    pub mvn: &'a str,
    /// As the user named it.
    pub project: &'a str,
    /// What Maven is given besides.
    pub maven_args: &'a [String],
    /// Variables that were set for the tests.
    pub environment: &'a BTreeMap<String, String>,
}

impl BuildOptions<'_> {
    /// As parade takes them: its own options, and what is Maven's.
    fn for_parade(&self) -> (String, String) {
        let (mut own, mut mavens) = (String::new(), String::new());
        for (name, value) in self.environment {
            // What the user has in the environment is passed on by its name.
            let is_inherited = std::env::var(name).is_ok_and(|inherited| inherited == *value);
            let given = if is_inherited { name.clone() } else { format!("{name}={value}") };
            own.push_str(&format!(" --env {}", quoted(&given)));
        }
        let mut args = self.maven_args.iter();
        while let Some(arg) = args.next() {
            match (arg.as_str(), args.as_slice().first()) {
                ("-s", Some(file)) => {
                    own.push_str(&format!(" --settings {}", quoted(file)));
                    args.next();
                }
                _ => mavens.push_str(&format!(" {}", quoted(arg))),
            }
        }
        (own, mavens)
    }

    fn for_maven(&self) -> String {
        self.maven_args.iter().map(|arg| format!(" {}", quoted(arg))).collect()
    }
}

/// Maven can select a test, but not one invocation of it: all of them run again.
pub fn again(test: &TestId, invocation: Option<&Invocation>, options: &BuildOptions<'_>) -> AgainCommands {
    let name = test.name.split(['(', '[', '{', '/', ' ']).next().unwrap_or(&test.name);
    // Without the star, Surefire finds no test of JUnit 4 that has parameters.
    let star = if invocation.is_some_and(|one| one.is_part_of_the_name(test)) { "*" } else { "" };
    let selected = if test.is_whole_class() { test.class.clone() } else { format!("{}#{name}{star}", test.class) };
    let (in_module, module) = match test.module.as_str() {
        "" => (String::new(), String::new()),
        // Other modules have no such test, and Surefire takes that for a mistake.
        path => (
            format!(" -pl {} -am -Dsurefire.failIfNoSpecifiedTests=false", quoted(path)),
            format!(" --module {}", quoted(path)),
        ),
    };
    let option = quoted(&format!("-Dtest={selected}"));
    let (own, mavens) = options.for_parade();
    AgainCommands {
        maven: format!("{} test{in_module}{} {option}", options.mvn, options.for_maven()),
        parade: format!(
            "parade test {}{module}{own} --technique sequential --{mavens} {option}",
            quoted(options.project)
        ),
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "org.opentest4j.AssertionFailedError: sums\n  expected: <1>\n   but was: <2>\n\
                         \tat org.junit.jupiter.api.AssertEquals.fail(AssertEquals.java:9)\n\
                         \tat app//shop.TillTest$Sums.lambda$adds$0(TillTest.java:42)\n\tat shop.TillTest.all(TillTest.java:7)";

    #[test]
    fn the_whole_message_is_shown_and_the_line_of_the_test() {
        assert_eq!(message(TRACE), "org.opentest4j.AssertionFailedError: sums\n  expected: <1>\n   but was: <2>");
        assert_eq!(place(TRACE, "shop.TillTest$Sums"), Some(("TillTest.java".to_owned(), 42)));
        assert_eq!(place(TRACE, "shop.Till"), None);
        assert_eq!(
            place("E\n\tat shop.T.x(Native Method)\n\tat shop.T.y(T.java:3)", "shop.T"),
            Some(("T.java".to_owned(), 3))
        );
        assert_eq!(place("", "a.B"), None);
    }

    #[test]
    fn endless_messages_are_cut() {
        let endless = message(&format!("{}\n{}", "é".repeat(1000), "x\n".repeat(100)));
        assert_eq!(endless.lines().count(), MOST_LINES + 1);
        assert!(
            endless.lines().next().unwrap().ends_with('…') && endless.ends_with("86 more lines, in the report"),
            "{endless}"
        );
        assert_eq!(message("\u{1b}[31mred\u{202e}"), "·[31mred\\u{202e}");
    }

    #[test]
    fn a_test_is_run_again_by_maven_and_by_parade_as_it_was_run() {
        let environment = BTreeMap::from([("SHOP_DB".to_owned(), "a b".to_owned())]);
        let maven_args = ["-s", "ci.xml", "-Pfast"].map(str::to_owned);
        let options =
            BuildOptions { mvn: "./mvnw", project: "my shop", maven_args: &maven_args, environment: &environment };
        let commands = again(&TestId::new("core", "shop.TillTest$Sums", "adds(int)", 2), None, &options);
        assert_eq!(
            commands.maven,
            "./mvnw test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -s ci.xml -Pfast \
             '-Dtest=shop.TillTest$Sums#adds'"
        );
        assert_eq!(
            commands.parade,
            "parade test 'my shop' --module core --env 'SHOP_DB=a b' --settings ci.xml --technique sequential -- -Pfast \
             '-Dtest=shop.TillTest$Sums#adds'"
        );
        let plain = BuildOptions { mvn: "mvn", project: ".", maven_args: &[], environment: &BTreeMap::new() };
        let test = TestId::new("", "a.B", "x", 1);
        assert_eq!(again(&test, None, &plain).maven, "mvn test '-Dtest=a.B#x'");
        let invocation = |display: &str| Invocation { index: 1, display: Some(display.to_owned()) };
        assert_eq!(again(&test, Some(&invocation("[1] 3")), &plain).maven, "mvn test '-Dtest=a.B#x'");
        assert_eq!(again(&test, Some(&invocation("x[steel]")), &plain).maven, "mvn test '-Dtest=a.B#x*'");
    }

    #[test]
    fn a_source_is_found_where_tests_usually_are() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path().join("core/src/test/java/shop");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("TillTest.java"), "").unwrap();
        let found = source_file(project.path(), "core", "shop.TillTest$Sums", "TillTest.java");
        assert_eq!(found, Some("core/src/test/java/shop/TillTest.java".into()));
        assert_eq!(source_file(project.path(), "", "shop.TillTest", "TillTest.java"), None);
    }

    #[test]
    fn a_variable_that_is_set_here_and_not_for_tests_is_named() {
        let passed_on = BTreeMap::from([("KNOWN_URL".to_owned(), "x".to_owned())]);
        let is_set = |name: &str| ["TEAM_DB_URL", "KNOWN_URL", "IT"].contains(&name);
        let trace = "AssertionFailedError: TEAM_DB_URL is not set, nor KNOWN_URL, nor OTHER_URL; IT fails\n\tat a.B.TEAM(B.java:1)";
        assert_eq!(withheld_variables(trace, &passed_on, is_set), BTreeSet::from(["TEAM_DB_URL".to_owned()]));
        assert!(withheld_variables("expected: <1> but was: <2>", &passed_on, is_set).is_empty());
    }
}
