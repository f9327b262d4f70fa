//! How a project's Maven is started, as the command line says it: which Maven, its arguments, its settings file, and variables
//! of the environment. Shared by all commands that build a project.

use std::collections::BTreeMap;
use std::env::VarError;
use std::path::{Path, PathBuf};

use parade::java::maven_at;
use parade::process::TAG_VARIABLE;
use parade::project;
use parade::spec::{Located, Origin, Subject};
use parade::wording::brief;

use super::BadUsage;

#[derive(Debug, Clone, Default)]
pub struct MavenOptions {
    /// A program, or the folder of a Maven.
    pub maven: Option<PathBuf>,
    /// Maven's `settings.xml`.
    pub settings: Option<PathBuf>,
    /// By the keys that platforms declare; each is also the name of an option.
    pub tools: BTreeMap<&'static str, PathBuf>,
    /// `NAME=VALUE`, or `NAME` for the value that the caller has.
    pub environment: Vec<String>,
    /// For all processes of the build, or of one run, together.
    pub memory_bytes: Option<u64>,
    /// What stands behind `--`.
    pub args: Vec<String>,
}

/// Properties that parade decides itself, with what to do instead.
const RESERVED_PROPERTIES: [(&str, &str); 8] = [
    ("parallel", "give --parallel to `parade test`"),
    ("threadCount", "give --threads to `parade test`"),
    ("perCoreThreadCount", "give --threads to `parade test`"),
    ("forkCount", "give --forks to `parade test`"),
    ("reuseForks", "leave it out: parade sets it with the parallel mode"),
    ("skipTests", "leave it out: parade runs the tests"),
    ("maven.test.skip", "leave it out: parade runs the tests"),
    ("maven.repo.local", "remove it: parade uses its own local repository"),
];

/// Options that parade decides itself, short and long, with what to do instead.
const RESERVED_OPTIONS: [(&str, &str, &str); 8] = [
    ("-pl", "--projects", "give --module, once for each module"),
    ("-rf", "--resume-from", "give --module, once for each module"),
    ("-T", "--threads", "give --modules to `parade test`"),
    ("-f", "--file", "name the folder of that pom as the project"),
    ("-s", "--settings", "give --settings FILE before the --"),
    ("-l", "--log-file", "leave it out: parade keeps the log and prints its path"),
    ("-q", "--quiet", "leave it out: parade reads the log"),
    ("-v", "--version", "leave it out: `parade doctor` prints the version"),
];

/// Options that begin like a reserved one.
const OTHERS: [&str; 6] = ["-fae", "-ff", "-fn", "-fos", "-ssl", "-llr"];

/// Options that are followed by their value.
const WITH_VALUE: [&str; 16] = [
    "-P",
    "--activate-profiles",
    "-D",
    "--define",
    "-gs",
    "--global-settings",
    "-t",
    "--toolchains",
    "-gt",
    "--global-toolchains",
    "-b",
    "--builder",
    "--color",
    "-itr",
    "-emp",
    "-ep",
];

impl MavenOptions {
    /// Makes them part of a subject, and so of everything that its build is known by.
    pub fn apply(&self, subject: &mut Subject) -> Result<(), BadUsage> {
        if subject.is_model() {
            return self.refuse_for_model();
        }
        if let Some(path) = &self.maven {
            subject.maven = Some(maven_at(path).map_err(|why| {
                bad(format!("--maven: {why}"), "give a Maven's bin/mvn, or the folder that it is installed in")
            })?);
        }
        for (key, path) in &self.tools {
            subject.tools.insert((*key).to_owned(), tool(key, path, subject)?);
        }
        if let Some(file) = &self.settings {
            subject.maven_args.extend(["-s".to_owned(), settings_file(file)?]);
        }
        check_arguments(&self.args)?;
        subject.maven_args.extend(self.args.iter().cloned());
        subject.environment.extend(self.variables(|name| std::env::var(name))?);
        Ok(())
    }

    /// What `--env` says. A name that comes twice must have the same value.
    fn variables(&self, callers: impl Fn(&str) -> Result<String, VarError>) -> Result<Variables, BadUsage> {
        let mut variables = Variables::new();
        for written in &self.environment {
            let (name, value) = variable(written, &callers)?;
            if variables.get(&name).is_some_and(|other| *other != value) {
                return Err(bad(
                    format!("--env: {name} is given twice, with different values"),
                    "leave out one of the two",
                ));
            }
            variables.insert(name, value);
        }
        Ok(variables)
    }

    fn refuse_for_model(&self) -> Result<(), BadUsage> {
        let given = [
            ("--maven", self.maven.is_some()),
            ("--settings", self.settings.is_some()),
            ("--python", self.tools.contains_key("python")),
            ("--env", !self.environment.is_empty()),
            ("--memory", self.memory_bytes.is_some()),
            ("arguments after --", !self.args.is_empty()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((what, _)) => {
                Err(bad(format!("a model suite is not built by Maven: {what} has no meaning"), "leave it out"))
            }
            None => Ok(()),
        }
    }
}

fn bad(message: impl Into<String>, help: impl Into<String>) -> BadUsage {
    BadUsage { message: message.into(), help: help.into() }
}

/// A program by its name, or by its path from the current folder on. A project that is at hand tells whether it has a use for it.
fn tool(key: &str, path: &Path, subject: &Subject) -> Result<Located, BadUsage> {
    let root = match &subject.origin {
        Origin::Folder { path } => subject.directory.as_ref().map_or_else(|| path.clone(), |below| path.join(below)),
        Origin::Git { .. } | Origin::Model { .. } => PathBuf::new(),
    };
    if let Some(platform) = project::platform_in(&root).filter(|platform| !platform.tool_keys().contains(&key)) {
        return Err(bad(format!("--{key} has no meaning for a project of {}", platform.name()), "leave it out"));
    }
    let is_name = path.components().count() == 1 && !path.is_absolute();
    let whole = if is_name { Ok(path.to_owned()) } else { std::path::absolute(path) };
    let whole = whole.map_err(|error| bad(format!("--{key}: {error}"), "give the path of a program"))?;
    if !is_name && !whole.is_file() {
        return Err(bad(format!("--{key}: there is no file {}", path.display()), "give the path of a program"));
    }
    Ok(Located { written: whole.to_string_lossy().into_owned(), path: whole })
}

/// Its whole path, as Maven runs in a copy of the project.
fn settings_file(file: &std::path::Path) -> Result<String, BadUsage> {
    let help = "give the path of a Maven settings.xml";
    if !file.is_file() {
        return Err(bad(format!("--settings: there is no file {}", file.display()), help));
    }
    let whole = file.canonicalize().map_err(|error| bad(format!("--settings {}: {error}", file.display()), help))?;
    whole.into_os_string().into_string().map_err(|path| bad(format!("--settings {}: not UTF-8", path.display()), help))
}

type Variables = BTreeMap<String, String>;

fn variable(written: &str, callers: &impl Fn(&str) -> Result<String, VarError>) -> Result<(String, String), BadUsage> {
    let (name, given) = match written.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (written, None),
    };
    const HELP: &str = "write NAME=VALUE, or NAME to pass on its current value";
    if name.is_empty() {
        return Err(bad(format!("--env: `{written}` has no name"), HELP));
    }
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let message = format!("--env: `{}` cannot be the name of an environment variable", brief(name));
        return Err(bad(message, HELP));
    }
    if name == "JAVA_HOME" {
        return Err(bad("--env: parade sets JAVA_HOME itself", "give --jdk with a version or a path"));
    }
    if name == TAG_VARIABLE {
        return Err(bad(format!("--env: parade sets {name} itself"), "leave it out"));
    }
    let value = match given {
        Some(value) => value,
        None => callers(name).map_err(|error| match error {
            VarError::NotPresent => bad(format!("--env: {name} is not set here"), format!("write --env {name}=VALUE")),
            VarError::NotUnicode(_) => {
                bad(format!("--env: the value of {name} is not UTF-8"), format!("write --env {name}=VALUE"))
            }
        })?,
    };
    if name == "PATH" && !has_program(&value, "dirname") {
        return Err(bad(
            "--env: this PATH has no `dirname`, which Maven's start script needs",
            "PATH is replaced as a whole: write --env \"PATH=FOLDER:$PATH\"",
        ));
    }
    Ok((name.to_owned(), value))
}

fn has_program(path: &str, name: &str) -> bool {
    std::env::split_paths(path).any(|folder| folder.join(name).is_file())
}

/// Only options: which goals run is parade's to say.
fn check_arguments(args: &[String]) -> Result<(), BadUsage> {
    let mut is_value = false;
    for argument in args {
        if std::mem::replace(&mut is_value, WITH_VALUE.contains(&argument.as_str())) {
            continue;
        }
        if !argument.starts_with('-') {
            let message = format!("`{argument}` after -- is a goal or a phase, and parade runs those itself");
            return Err(bad(message, "leave it out; options such as -Pfast or -Dname=value are passed on"));
        }
        if let Some((name, instead)) = reserved(argument) {
            return Err(bad(format!("`{name}` after --: parade sets this itself"), instead));
        }
    }
    Ok(())
}

/// Of a command line that clap refuses: an option of Maven that stands before the `--`, and would be refused behind it as well.
/// Then clap's advice to put it there would lead nowhere.
pub fn refused_anywhere(arguments: &[String]) -> Option<BadUsage> {
    let options = arguments.iter().take_while(|argument| *argument != "--").filter(|each| each.starts_with("-D"));
    let (name, instead) = options.filter_map(|option| reserved(option)).next()?;
    Some(BadUsage { message: format!("`-D{name}`: parade sets this itself"), help: instead.to_owned() })
}

fn reserved(argument: &str) -> Option<(&'static str, &'static str)> {
    if let Some(property) = argument.strip_prefix("-D") {
        let name = property.split('=').next().unwrap_or(property);
        return RESERVED_PROPERTIES.into_iter().find(|(reserved, _)| *reserved == name);
    }
    let is = |(short, long, _): &(&str, &str, &str)| {
        let long = argument.strip_prefix(long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        // `-T4` is `-T 4`, but `-fae` is not `-f ae`.
        let glued = short.len() == 2 && argument.starts_with(short) && !OTHERS.contains(&argument);
        long || argument == *short || (glued && matches!(*short, "-T" | "-f" | "-s" | "-l"))
    };
    RESERVED_OPTIONS.into_iter().find(is).map(|(short, _, instead)| (short, instead))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parade::project::{self, Choice};
    use std::time::Duration;

    fn subject() -> (tempfile::TempDir, Subject) {
        parade::register_platforms();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pom.xml"), "<project/>").unwrap();
        let path = folder.path().to_str().unwrap().to_owned();
        parade::register_platforms();
        let subject = project::locate(&path, &Choice::default(), Duration::from_secs(1)).unwrap();
        (folder, subject)
    }

    fn refused(args: &[&str]) -> String {
        let args: Vec<String> = args.iter().map(|&argument| argument.to_owned()).collect();
        check_arguments(&args).map_or_else(|error| format!("{}; {}", error.message, error.help), |()| String::new())
    }

    #[test]
    fn everything_becomes_part_of_the_subject() {
        let (folder, mut subject) = subject();
        let settings = folder.path().join("my settings.xml");
        std::fs::write(&settings, "<settings/>").unwrap();
        let options = MavenOptions {
            maven: None,
            tools: BTreeMap::new(),
            memory_bytes: None,
            settings: Some(settings.clone()),
            environment: vec!["A=b=c".to_owned(), "PATH".to_owned()],
            args: ["-P", "fast", "-Dx=y z"].map(str::to_owned).to_vec(),
        };
        options.apply(&mut subject).unwrap();
        let settings = settings.canonicalize().unwrap().to_str().unwrap().to_owned();
        assert_eq!(subject.maven_args, ["-s", &settings, "-P", "fast", "-Dx=y z"]);
        assert_eq!(subject.environment["A"], "b=c");
        assert_eq!(subject.environment["PATH"], std::env::var("PATH").unwrap());
    }

    #[test]
    fn what_parade_decides_is_refused_with_what_to_do() {
        assert_eq!(refused(&["-Pfast", "-fae", "-o", "-Dtest=Some*", "-P", "a,b", "-DforkCountX=1"]), "");
        assert!(refused(&["clean"]).contains("goal"));
        assert!(refused(&["-T4"]).contains("--modules") && refused(&["--threads=4"]).contains("--modules"));
        assert!(refused(&["-pl", "core"]).contains("--module,"));
        assert!(refused(&["-DskipTests"]).contains("skipTests"));
        assert!(refused(&["-ssettings.xml"]).contains("--settings FILE"));
    }

    fn variables(written: &[&str]) -> Result<Variables, String> {
        let environment = written.iter().map(|&each| each.to_owned()).collect();
        let options = MavenOptions { environment, ..MavenOptions::default() };
        let callers = |name: &str| match name {
            "SET" => Ok("here".to_owned()),
            "BYTES" => Err(VarError::NotUnicode("x".into())),
            _ => Err(VarError::NotPresent),
        };
        options.variables(callers).map_err(|error| format!("{}; {}", error.message, error.help))
    }

    #[test]
    fn variables_have_names_and_values() {
        let path = std::env::var("PATH").unwrap();
        let path = format!("PATH=/x:{path}");
        let given = variables(&["A=", "B=c=d", "SET", &path, "HOME=/h", "MAVEN_OPTS=-Xmx1g -ea"]).unwrap();
        let expected = [
            ("A", ""),
            ("B", "c=d"),
            ("HOME", "/h"),
            ("MAVEN_OPTS", "-Xmx1g -ea"),
            ("PATH", &path[5..]),
            ("SET", "here"),
        ];
        assert_eq!(given, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        for (written, why) in [
            ("UNSET", "UNSET is not set here; write --env UNSET=VALUE"),
            ("BYTES", "the value of BYTES is not UTF-8"),
            ("1A=x", "`1A` cannot be the name"),
            ("A B=x", "`A B` cannot be the name"),
            ("A\nB=x", "`A B` cannot be the name"),
            ("", "`` has no name"),
            ("=x", "`=x` has no name"),
            ("JAVA_HOME=/x", "parade sets JAVA_HOME itself; give --jdk"),
            ("PARADE_TAG=x", "parade sets PARADE_TAG itself"),
            ("PATH=/nowhere", "this PATH has no `dirname`"),
        ] {
            let refused = variables(&[written]).unwrap_err();
            assert!(refused.contains(why), "{written}: {refused}");
        }
    }

    #[test]
    fn a_variable_has_one_value() {
        assert_eq!(variables(&["A=x", "A=x"]).unwrap().len(), 1);
        assert!(variables(&["SET", "SET=other"]).unwrap_err().contains("SET is given twice, with different values"));
    }

    #[test]
    fn nothing_is_sent_behind_the_dashes_that_is_refused_there() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            refused_anywhere(&words).map(|refusal| format!("{}; {}", refusal.message, refusal.help))
        };
        let expected = "`-DforkCount`: parade sets this itself; give --forks to `parade test`";
        assert_eq!(of("parade test . -DforkCount=2").as_deref(), Some(expected));
        assert_eq!(of("parade test . -Dname=value"), None, "clap's advice helps");
        assert_eq!(of("parade test . -- -DforkCount=2"), None, "it is refused by the command");
    }

    #[test]
    fn a_maven_or_settings_that_are_not_there_are_refused() {
        let (_folder, mut subject) = subject();
        let wrong = MavenOptions { maven: Some("/nowhere".into()), ..MavenOptions::default() };
        assert!(wrong.apply(&mut subject).unwrap_err().message.contains("/nowhere"));
        let wrong = MavenOptions { settings: Some("/nowhere.xml".into()), ..MavenOptions::default() };
        assert!(wrong.apply(&mut subject).unwrap_err().message.contains("/nowhere.xml"));
    }
}
