//! The command line of a test process, from what the build revealed: like the one of Surefire, with our runner in place of
//! Surefire's own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::request;
use crate::maven::Launch;

const MAIN: &str = "parade.direct.Main";

/// A way to start the test processes of one goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Jvm {
    launch: Launch,
    /// The jar with our runner.
    runner: PathBuf,
    /// What a Maven would have been started with.
    environment: BTreeMap<String, String>,
    /// Before the subject's own arguments.
    flags: Vec<OsString>,
    /// Are class folders loaded by a loader of their own?
    folders_apart: bool,
    /// Is it told to put on record what tests share?
    tells_accesses: bool,
    /// Are agents of JaCoCo taken out of the subject's own arguments?
    without_jacoco: bool,
}

impl Jvm {
    pub fn new(launch: &Launch, runner: &Path, environment: &BTreeMap<String, String>) -> Self {
        Jvm {
            launch: launch.clone(),
            runner: runner.to_owned(),
            environment: environment.clone(),
            flags: Vec::new(),
            folders_apart: false,
            tells_accesses: false,
            without_jacoco: false,
        }
    }

    /// The same with class folders in a loader that can be left behind, or that shared archives do not mind.
    pub fn with_folders_apart(mut self) -> Self {
        self.folders_apart = true;
        self
    }

    pub fn with_flags(mut self, flags: impl IntoIterator<Item = OsString>) -> Self {
        self.flags.extend(flags);
        self
    }

    /// The same with the agent that sees what tests share.
    pub fn with_agent(mut self, option: OsString) -> Self {
        self.flags.push(option);
        self.tells_accesses = true;
        self
    }

    /// The same without the agent of JaCoCo that the project's own build brings.
    pub fn without_own_jacoco(mut self) -> Self {
        self.without_jacoco = true;
        self
    }

    pub fn has_own_jacoco(&self) -> bool {
        split_arguments(&self.launch.arg_line).iter().any(|argument| is_jacoco(argument))
    }

    /// Does an agent of JaCoCo come with variables that every JVM obeys?
    pub fn has_inherited_jacoco(&self) -> bool {
        self.inherited_options().iter().any(|argument| is_jacoco(argument))
    }

    pub fn java(&self) -> &Path {
        &self.launch.java
    }

    /// Where a process runs; some projects give each a folder of its own.
    pub fn folder(&self, slot: u32) -> PathBuf {
        self.launch.folder.to_str().map_or_else(|| self.launch.folder.clone(), |text| fill(text, slot).into())
    }

    /// The jars on the class path, ours first.
    pub fn jars(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.runner.as_path()).chain(self.class_path(false))
    }

    fn class_path(&self, folders: bool) -> impl Iterator<Item = &Path> {
        self.launch.class_path.iter().map(PathBuf::as_path).filter(move |path| path.is_dir() == folders)
    }

    /// Everything after the program.
    pub fn arguments(&self, slot: u32, control: &Path) -> Vec<OsString> {
        let mut arguments = self.flags.clone();
        if self.launch.assertions {
            arguments.push("-ea".into());
        }
        let own = split_arguments(&fill(&self.launch.arg_line, slot)).into_iter();
        arguments.extend(own.filter(|argument| !(self.without_jacoco && is_jacoco(argument))).map(OsString::from));
        arguments.extend(["-cp".into(), self.joined_class_path(), MAIN.into(), control.into()]);
        arguments
    }

    fn joined_class_path(&self) -> OsString {
        let whole = std::iter::once(&self.runner).chain(&self.launch.class_path).map(PathBuf::as_path);
        let elements: Vec<&Path> = if self.folders_apart { self.jars().collect() } else { whole.collect() };
        let mut joined = OsString::new();
        for element in elements {
            if !joined.is_empty() {
                joined.push(":");
            }
            joined.push(element);
        }
        joined
    }

    /// What the process is told before its orders.
    pub fn preamble(&self, slot: u32) -> String {
        let fill_value = |(key, value): &(String, String)| (key.clone(), fill(value, slot));
        let properties: Vec<_> = self.launch.properties.iter().map(fill_value).collect();
        let folders: Vec<&Path> = if self.folders_apart { self.class_path(true).collect() } else { Vec::new() };
        let watch = if self.tells_accesses { request::accesses() } else { String::new() };
        request::preamble(&properties, folders) + &watch
    }

    pub fn environment(&self, slot: u32) -> BTreeMap<String, String> {
        let mut environment = self.environment.clone();
        environment.retain(|name, _| !self.launch.without.contains(name));
        environment.extend(self.launch.environment.iter().map(|(name, value)| (name.clone(), fill(value, slot))));
        environment
    }

    /// Everything by which the subject itself chooses options of the JVM.
    pub fn chosen_options(&self) -> Vec<String> {
        let mut options = split_arguments(&self.launch.arg_line);
        options.extend(self.inherited_options());
        options
    }

    fn inherited_options(&self) -> Vec<String> {
        const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"];
        let environment = self.environment(1);
        VARIABLES.iter().filter_map(|name| environment.get(*name)).flat_map(|text| split_arguments(text)).collect()
    }
}

/// By the name of the jar.
fn is_jacoco(argument: &str) -> bool {
    let jar = argument.strip_prefix("-javaagent:").and_then(|agent| agent.split('=').next());
    jar.is_some_and(|jar| jar.rsplit('/').next().unwrap_or(jar).to_lowercase().contains("jacoco"))
}

/// Surefire's own placeholders: which of the processes that run at once this is.
fn fill(text: &str, slot: u32) -> String {
    if !text.contains("${surefire.") {
        return text.to_owned();
    }
    let slot = slot.to_string();
    text.replace("${surefire.forkNumber}", &slot).replace("${surefire.threadNumber}", &slot)
}

/// At white space, as Surefire does it: either quotation mark keeps what is inside together, and nothing escapes one.
fn split_arguments(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => current.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                current.get_or_insert_default();
            }
            None if c.is_whitespace() => arguments.extend(current.take()),
            None => current.get_or_insert_default().push(c),
        }
    }
    arguments.extend(current);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jvm(folder: &Path) -> Jvm {
        let launch = Launch {
            java: "/jdk/bin/java".into(),
            folder: "/w/run-${surefire.forkNumber}".into(),
            arg_line: "-Xmx64m\n -Da='b c' -Dfork=${surefire.forkNumber}".into(),
            assertions: true,
            class_path: vec![folder.to_owned(), "/m2/a.jar".into()],
            properties: vec![("basedir".into(), "/w".into()), ("port".into(), "80${surefire.forkNumber}".into())],
            environment: BTreeMap::from([("X".into(), "y".into())]),
            without: vec!["HOME".into()],
            ..Launch::default()
        };
        let environment = BTreeMap::from([("HOME".into(), "/root".into()), ("PATH".into(), "/bin".into())]);
        Jvm::new(&launch, Path::new("/h/parade-jvm.jar"), &environment)
    }

    #[test]
    fn a_process_is_started_as_surefire_would() {
        let folder = tempfile::tempdir().unwrap();
        let jvm = jvm(folder.path());
        let arguments: Vec<_> =
            jvm.arguments(2, Path::new("/c")).into_iter().map(|word| word.into_string().unwrap()).collect();
        let class_path = format!("/h/parade-jvm.jar:{}:/m2/a.jar", folder.path().display());
        let expected = ["-ea", "-Xmx64m", "-Da=b c", "-Dfork=2", "-cp", &class_path, MAIN, "/c"];
        assert_eq!(arguments, expected);
        assert_eq!(jvm.preamble(2), "property\tbasedir\t/w\nproperty\tport\t802\n");
        assert_eq!(jvm.folder(2), Path::new("/w/run-2"));
        let environment: Vec<_> = jvm.environment(2).into_iter().collect();
        assert_eq!(environment, [("PATH".to_owned(), "/bin".to_owned()), ("X".to_owned(), "y".to_owned())]);
    }

    #[test]
    fn a_projects_own_agent_of_jacoco_gives_way() {
        let mut jvm = jvm(Path::new("/f"));
        assert!(!jvm.has_own_jacoco() && !jvm.has_inherited_jacoco());
        jvm.launch.arg_line =
            "-javaagent:/m2/org.jacoco.agent-0.8.7-runtime.jar=destfile=x -javaagent:/other.jar".into();
        jvm.launch.environment.insert("JAVA_TOOL_OPTIONS".into(), "-javaagent:/x/jacocoagent.jar".into());
        assert!(jvm.has_own_jacoco() && jvm.has_inherited_jacoco());
        let arguments = jvm.without_own_jacoco().arguments(1, Path::new("/c"));
        let agents: Vec<_> = arguments.iter().filter(|word| word.to_string_lossy().starts_with("-javaagent")).collect();
        assert_eq!(agents, ["-javaagent:/other.jar"]);
    }

    #[test]
    fn folders_can_be_left_to_a_loader_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let jvm = jvm(folder.path()).with_folders_apart();
        let arguments = jvm.arguments(1, Path::new("/c"));
        assert!(arguments.contains(&OsString::from("/h/parade-jvm.jar:/m2/a.jar")), "{arguments:?}");
        assert!(jvm.preamble(1).ends_with(&format!("folder\t{}\n", folder.path().display())));
    }

    #[test]
    fn argument_lines_are_split_as_surefire_does() {
        let cases: [(&str, &[&str]); 4] = [
            ("", &[]),
            ("  -a   -b\t-c\n", &["-a", "-b", "-c"]),
            ("-Da=\"x 'y'\" '' 'z", &["-Da=x 'y'", "", "z"]),
            ("a\\ b", &["a\\", "b"]),
        ];
        for (line, expected) in cases {
            assert_eq!(split_arguments(line), expected, "{line:?}");
        }
    }
}
