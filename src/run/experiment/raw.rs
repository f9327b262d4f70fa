//! The experiment file as typed, unchecked values, each with its place. A new key is declared in its table's `KEYS` and
//! read in its `read_…` function; what it means is for `validate`.

use std::collections::BTreeMap;

use toml::de::DeTable;

use crate::toml_file::mistake::{Log, Span};
use crate::toml_file::reader::{At, Command, Reader, TableKind};

pub(super) static FILE: TableKind = TableKind {
    header: "",
    keys: &["experiment", "machine", "defaults", "regression", "subject", "configuration", "analysis"],
};
static EXPERIMENT: TableKind =
    TableKind { header: "[experiment]", keys: &["name", "study", "repetitions", "warmup", "screening", "seed"] };
static MACHINE: TableKind =
    TableKind { header: "[machine]", keys: &["cores", "memory", "timeout", "build_timeout", "jdk", "user"] };
static DEFAULTS: TableKind = TableKind {
    header: "[defaults]",
    keys: &["maven_args", "environment", "phase", "setup", "surefire", "disable_plugins", "timeout"],
};
static SUBJECT: TableKind = TableKind {
    header: "[[subject]]",
    keys: &[
        "name",
        "git",
        "commit",
        "path",
        "model",
        "directory",
        "modules",
        "maven_args",
        "environment",
        "phase",
        "setup",
        "surefire",
        "disable_plugins",
        "timeout",
        "repetitions",
        "configurations",
        "dependencies",
        "jdk",
        "python",
        "user",
        "override",
        "versions",
        "label",
        "inferred",
        "generator",
    ],
};
/// Those of [`SUBJECT`] that a platform declares as its tools.
pub(super) const TOOL_KEYS: [&str; 1] = ["python"];
static GENERATOR: TableKind = TableKind { header: "[subject.generator]", keys: &["command", "timeout"] };
static REGRESSION: TableKind = TableKind { header: "[regression]", keys: &["dependencies", "rounds"] };
static OVERRIDE: TableKind = TableKind {
    header: "[subject.override.…]",
    keys: &["threads", "threads_per_core", "forks", "reuse_forks", "modules", "test_timeout", "timeout"],
};
static CONFIGURATION: TableKind = TableKind {
    header: "[[configuration]]",
    keys: &[
        "name",
        "technique",
        "parallel",
        "threads",
        "threads_per_core",
        "forks",
        "reuse_forks",
        "modules",
        "engine",
        "rerun_engine",
        "isolation",
        "test_timeout",
        "enhanced",
        "machines",
    ],
};
static ANALYSIS: TableKind = TableKind { header: "[analysis]", keys: &["baseline"] };

pub(super) static KINDS: &[&TableKind] =
    &[&EXPERIMENT, &MACHINE, &DEFAULTS, &REGRESSION, &SUBJECT, &CONFIGURATION, &ANALYSIS];

/// Known keys that were written, even with a value of the wrong type.
pub(super) type Written = BTreeMap<&'static str, Span>;

#[derive(Debug, Default)]
pub(super) struct RawFile {
    pub header: RawHeader,
    pub machine: RawMachine,
    pub defaults: RawSettings,
    pub regression: RawRegression,
    pub subjects: Vec<RawSubject>,
    pub configurations: Vec<RawConfiguration>,
    /// Was there a `[[subject]]`, a `[[configuration]]` at all, right or wrong?
    pub written: Written,
    pub baseline: Option<At<String>>,
    pub analysis_written: Written,
}

#[derive(Debug, Default)]
pub(super) struct RawHeader {
    pub name: Option<At<String>>,
    pub study: Option<At<String>>,
    pub repetitions: Option<At<u64>>,
    pub warmup: Option<At<u64>>,
    pub screening: Option<At<u64>>,
    pub seed: Option<At<u64>>,
}

#[derive(Debug, Default)]
pub(super) struct RawMachine {
    pub cores: Option<At<Vec<At<String>>>>,
    pub memory: Option<At<String>>,
    pub timeout: Option<At<String>>,
    pub build_timeout: Option<At<String>>,
    pub jdk: Option<At<String>>,
    pub user: Option<At<String>>,
}

#[derive(Debug, Default)]
pub(super) struct RawRegression {
    pub dependencies: Option<At<String>>,
    pub rounds: Option<At<u64>>,
}

/// Earlier versions of a subject.
#[derive(Debug)]
pub(super) enum RawVersions {
    UpTo(u64),
    /// Oldest first.
    These(Vec<At<String>>),
}

#[derive(Debug)]
pub(super) struct RawGenerator {
    pub span: Span,
    pub command: Option<At<Command>>,
    pub timeout: Option<At<String>>,
}

/// What a subject and `[defaults]` have in common.
#[derive(Debug, Default)]
pub(super) struct RawSettings {
    pub maven_args: Vec<At<String>>,
    pub environment: Vec<(At<String>, At<String>)>,
    pub phase: Option<At<String>>,
    pub setup: Option<Vec<At<Command>>>,
    pub surefire: Option<At<String>>,
    pub disable_plugins: Vec<At<String>>,
    pub timeout: Option<At<String>>,
}

#[derive(Debug)]
pub(super) struct RawSubject {
    pub span: Span,
    pub written: Written,
    pub name: Option<At<String>>,
    pub git: Option<At<String>>,
    pub commit: Option<At<String>>,
    pub path: Option<At<String>>,
    pub model: Option<At<String>>,
    pub directory: Option<At<String>>,
    pub modules: Vec<At<String>>,
    pub settings: RawSettings,
    pub repetitions: Option<At<u64>>,
    pub configurations: Option<At<Vec<At<String>>>>,
    pub dependencies: Option<At<String>>,
    pub jdk: Option<At<String>>,
    /// By the keys that platforms declare.
    pub tools: Vec<(&'static str, At<String>)>,
    pub user: Option<At<String>>,
    pub overrides: Vec<(At<String>, RawOverride)>,
    pub versions: Option<At<RawVersions>>,
    pub label: Option<At<String>>,
    pub inferred: Option<At<String>>,
    pub generator: Option<RawGenerator>,
}

#[derive(Debug)]
pub(super) struct RawOverride {
    pub written: Written,
    pub threads: Option<At<u64>>,
    pub threads_per_core: Option<At<bool>>,
    pub forks: Option<At<String>>,
    pub reuse_forks: Option<At<bool>>,
    pub modules: Option<At<String>>,
    pub test_timeout: Option<At<String>>,
    pub timeout: Option<At<String>>,
}

#[derive(Debug)]
pub(super) struct RawConfiguration {
    pub span: Span,
    pub written: Written,
    pub name: Option<At<String>>,
    pub technique: Option<At<String>>,
    pub parallel: Option<At<String>>,
    pub threads: Option<At<u64>>,
    pub threads_per_core: Option<At<bool>>,
    pub forks: Option<At<String>>,
    pub reuse_forks: Option<At<bool>>,
    pub modules: Option<At<String>>,
    pub harness: RawHarness,
    pub enhanced: Option<At<bool>>,
    pub machines: Option<At<u64>>,
}

/// The keys about engines.
#[derive(Debug)]
pub(super) struct RawHarness {
    pub engine: Option<At<String>>,
    pub rerun_engine: Option<At<String>>,
    pub isolation: Option<At<String>>,
    pub test_timeout: Option<At<String>>,
}

/// The whole file.
pub(super) fn read(tree: &DeTable<'_>, log: &Log) -> RawFile {
    let file = Reader::new(&At::new(tree, 0..0), &FILE, KINDS, log);
    if !file.written().contains_key("experiment") {
        log.add(
            &(0..0),
            "the file has no `[experiment]`",
            "begin with `[experiment]` and a line such as `name = \"paste\"`",
        );
    }
    let reader = |table: At<_>, kind| Reader::new(&table, kind, KINDS, log);
    let analysis = file.table("analysis").map(|table| reader(table, &ANALYSIS));
    RawFile {
        header: file.table("experiment").map(|table| read_header(&reader(table, &EXPERIMENT))).unwrap_or_default(),
        machine: file.table("machine").map(|table| read_machine(&reader(table, &MACHINE))).unwrap_or_default(),
        defaults: file.table("defaults").map(|table| read_settings(&reader(table, &DEFAULTS))).unwrap_or_default(),
        regression: file
            .table("regression")
            .map(|table| read_regression(&reader(table, &REGRESSION)))
            .unwrap_or_default(),
        subjects: file.tables("subject").into_iter().map(|table| read_subject(&table, log)).collect(),
        configurations: file.tables("configuration").into_iter().map(|table| read_configuration(&table, log)).collect(),
        written: file.written(),
        baseline: analysis.as_ref().and_then(|analysis| analysis.text("baseline", "\"sequential\"")),
        analysis_written: analysis.as_ref().map(Reader::written).unwrap_or_default(),
    }
}

fn read_header(table: &Reader<'_>) -> RawHeader {
    table.require("name", "\"my-experiment\"");
    RawHeader {
        name: table.text("name", "\"my-experiment\""),
        study: table.text("study", "\"paste\""),
        repetitions: table.count("repetitions", "6"),
        warmup: table.count("warmup", "1"),
        screening: table.count("screening", "10"),
        seed: table.count("seed", "2021"),
    }
}

fn read_machine(table: &Reader<'_>) -> RawMachine {
    RawMachine {
        cores: table.texts_or_counts("cores", "[1, 2, \"all\"]"),
        memory: table.text("memory", "\"8GiB\""),
        timeout: table.text("timeout", "\"3h\""),
        build_timeout: table.text("build_timeout", "\"1h\""),
        jdk: table.text_or_count("jdk", "\"17\""),
        user: table.text("user", "\"nobody\""),
    }
}

fn read_regression(table: &Reader<'_>) -> RawRegression {
    RawRegression { dependencies: table.text("dependencies", "\"orders\""), rounds: table.count("rounds", "100") }
}

fn read_versions(subject: &Reader<'_>) -> Option<At<RawVersions>> {
    let example = "[\"c1ee777\", \"8b45ea5\"]";
    if subject.is_list("versions") {
        let list = subject.texts("versions", example)?;
        return Some(At::new(RawVersions::These(list.value), list.span));
    }
    let count = subject.count("versions", "10")?;
    Some(At::new(RawVersions::UpTo(count.value), count.span))
}

fn read_generator(table: &At<&DeTable<'_>>, log: &Log) -> RawGenerator {
    let generator = Reader::new(table, &GENERATOR, KINDS, log);
    generator.require("command", "[\"java\", \"-jar\", \"randoop.jar\"]");
    RawGenerator {
        span: table.span.clone(),
        command: generator.texts("command", "[\"java\", \"-jar\", \"randoop.jar\"]"),
        timeout: generator.text("timeout", "\"10m\""),
    }
}

fn read_settings(table: &Reader<'_>) -> RawSettings {
    let items = |list: Option<At<Vec<_>>>| list.map(|list| list.value);
    RawSettings {
        maven_args: items(table.texts("maven_args", "[\"-Drat.skip=true\"]")).unwrap_or_default(),
        environment: table.text_table("environment", "{ TZ = \"UTC\" }"),
        phase: table.text("phase", "\"test\""),
        setup: table.text_lists("setup", "[[\"git\", \"status\"]]"),
        surefire: table.text("surefire", "\"pinned\""),
        disable_plugins: items(table.texts("disable_plugins", "[\"org.apache.rat:apache-rat-plugin\"]"))
            .unwrap_or_default(),
        timeout: table.text("timeout", "\"3h\""),
    }
}

fn read_subject(table: &At<&DeTable<'_>>, log: &Log) -> RawSubject {
    let subject = Reader::new(table, &SUBJECT, KINDS, log);
    subject.require("name", "\"commons-io\"");
    RawSubject {
        span: table.span.clone(),
        written: subject.written(),
        name: subject.text("name", "\"commons-io\""),
        git: subject.text("git", "\"https://github.com/apache/commons-io\""),
        commit: subject.text("commit", "\"c1ee777\""),
        path: subject.text("path", "\"../subjects/clean\""),
        model: subject.text("model", "\"suite.toml\""),
        directory: subject.text("directory", "\"lang/java\""),
        modules: subject.texts("modules", "[\"core\"]").map(|list| list.value).unwrap_or_default(),
        settings: read_settings(&subject),
        repetitions: subject.count("repetitions", "6"),
        configurations: subject.texts("configurations", "[\"sequential\"]"),
        dependencies: subject.text("dependencies", "\"dependencies.toml\""),
        jdk: subject.text_or_count("jdk", "\"8\""),
        tools: TOOL_KEYS.iter().filter_map(|key| Some((*key, subject.text(key, "\".venv/bin/python\"")?))).collect(),
        user: subject.text("user", "\"nobody\""),
        overrides: subject
            .named_tables("override")
            .into_iter()
            .map(|(name, table)| (name, read_override(&Reader::new(&table, &OVERRIDE, KINDS, log))))
            .collect(),
        versions: read_versions(&subject),
        label: subject.text("label", "\"M9\""),
        inferred: subject.text("inferred", "\"the study prints no commit; this is the newest before its dataset\""),
        generator: subject.table("generator").map(|table| read_generator(&table, log)),
    }
}

fn read_override(table: &Reader<'_>) -> RawOverride {
    RawOverride {
        written: table.written(),
        threads: table.count("threads", "7"),
        threads_per_core: table.flag("threads_per_core"),
        forks: table.text_or_count("forks", "\"1C\""),
        reuse_forks: table.flag("reuse_forks"),
        modules: table.text_or_count("modules", "\"1C\""),
        test_timeout: table.text("test_timeout", "\"30s\""),
        timeout: table.text("timeout", "\"3h\""),
    }
}

fn read_configuration(table: &At<&DeTable<'_>>, log: &Log) -> RawConfiguration {
    let configuration = Reader::new(table, &CONFIGURATION, KINDS, log);
    configuration.require("name", "\"classes\"");
    RawConfiguration {
        span: table.span.clone(),
        written: configuration.written(),
        name: configuration.text("name", "\"classes\""),
        technique: configuration.text("technique", "\"paste\""),
        parallel: configuration.text("parallel", "\"classes\""),
        threads: configuration.count("threads", "7"),
        threads_per_core: configuration.flag("threads_per_core"),
        forks: configuration.text_or_count("forks", "\"1C\""),
        reuse_forks: configuration.flag("reuse_forks"),
        modules: configuration.text_or_count("modules", "\"1C\""),
        harness: RawHarness {
            engine: configuration.text("engine", "\"direct\""),
            rerun_engine: configuration.text("rerun_engine", "\"direct\""),
            isolation: configuration.text("isolation", "\"fresh\""),
            test_timeout: configuration.text("test_timeout", "\"30s\""),
        },
        enhanced: configuration.flag("enhanced"),
        machines: configuration.count("machines", "4"),
    }
}
