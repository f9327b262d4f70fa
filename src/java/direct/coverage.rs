//! What each test covers, in one run: JaCoCo's agent in the test processes, a record per test, and one analysis of the
//! program's class files afterwards.
//!
//! How coverage is used is no matter of this.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;

use super::launch::Jvm;
use super::line_table::{Cover, LineTable};
use super::request;
use super::traces::{Pattern, Traces};
use crate::build::Prepared;
use crate::file_error::file_error;
use crate::maven;
use crate::maven::protocol::QuestionKind;
use crate::process::{self, Cause, Exit, Interrupt};
use crate::suite::{Coverage, Element, Finding, FindingKind, TestId};
use crate::wording::{counted, plural};

const ANALYSIS: &str = "parade.cover.Analysis";
const ANALYSIS_LIMIT: Duration = Duration::from_secs(15 * 60);
/// A single argument of a command can hold twice this.
const MOST_PACKAGES: usize = 64 << 10;
/// How many classes a finding names.
const NAMED: usize = 5;

/// Which of a process' records is about an execution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The process, by a number of its own.
    pub process: u64,
    /// What it called the execution; 0 for none.
    pub number: u32,
}

/// A run whose coverage is recorded.
#[derive(Debug)]
pub struct Recording {
    /// Where processes leave their records.
    pub folder: tempfile::TempDir,
    program: Vec<PathBuf>,
    agent: OsString,
    notes: Vec<Finding>,
}

impl Recording {
    pub fn begin(prepared: &Prepared, scratch: &Path) -> miette::Result<Self> {
        let folder = tempfile::Builder::new().prefix("traces-").tempdir_in(scratch);
        let folder = folder.map_err(|error| file_error(format_args!("{}", scratch.display()), &error))?;
        let program = program(prepared);
        let packages = packages(&program)?;
        let mut agent = OsString::from("-javaagent:");
        agent.push(prepared.helper.jacoco_agent());
        agent.push(format!("=output=none,sessionid=parade,includes={packages}"));
        Ok(Recording { folder, program, agent, notes: Vec::new() })
    }

    /// The same process with our agent, and with no other of its kind.
    pub fn of(&mut self, jvm: Jvm) -> miette::Result<Jvm> {
        if jvm.has_inherited_jacoco() {
            return Err(miette!(
                help = "remove JaCoCo's agent from JAVA_TOOL_OPTIONS, _JAVA_OPTIONS or JDK_JAVA_OPTIONS",
                "coverage cannot be recorded: the environment of the test JVMs already loads a JaCoCo agent"
            ));
        }
        if jvm.has_own_jacoco() {
            let text = "the project's own JaCoCo agent was left out while coverage was recorded";
            self.notes.push(Finding::new(FindingKind::Deviation, text));
        }
        Ok(jvm.without_own_jacoco().with_flags([self.agent.clone()]))
    }

    /// What the tests cover that these records are about. Tests that were skipped cover nothing, for certain.
    pub fn end(
        mut self,
        prepared: &Prepared,
        marks: &HashMap<Mark, TestId>,
        skipped: &[&TestId],
        (interrupt, tag): (&Interrupt, &str),
    ) -> miette::Result<(Option<Coverage>, Vec<Finding>)> {
        let traces = self.traces()?;
        let Some(table) = self.analyse(prepared, &traces, interrupt, tag)? else { return Ok((None, self.notes)) };
        self.notes.extend(findings(&traces, &table));
        let coverage = Coverage::measured(&table.program(), covered(&traces, &table, marks, skipped))?;
        self.notes.dedup();
        Ok((Some(coverage), self.notes))
    }

    fn traces(&self) -> miette::Result<Traces> {
        let broken = |error| file_error(format_args!("{} cannot be read", self.folder.path().display()), &error);
        let mut traces = Traces::default();
        for entry in self.folder.path().read_dir().map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            let process = path.file_stem().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
            if let Some(process) = process {
                traces.read(process, &path)?;
            }
        }
        Ok(traces)
    }

    /// `None` when the user interrupted.
    fn analyse(
        &self,
        prepared: &Prepared,
        traces: &Traces,
        interrupt: &Interrupt,
        tag: &str,
    ) -> miette::Result<Option<LineTable>> {
        let folder = self.folder.path();
        let broken = |error: std::io::Error| file_error(format_args!("{} cannot be used", folder.display()), &error);
        let (asked, answer) = (folder.join("asked"), folder.join("answer"));
        let mut request = File::create(&asked).map_err(broken)?;
        request.write_all(question(&self.program, traces).as_bytes()).map_err(broken)?;
        let log = folder.join("analysis.log");
        let ended = process::run(&analysis(prepared, [&asked, &answer], &log, tag), interrupt)?;
        match (ended.cause, ended.exit) {
            (Cause::Exited, Exit::Code(0)) => {}
            (Cause::Interrupted, _) => return Ok(None),
            _ => return Err(failed(&maven::decisive_lines(&log).join("; "))),
        }
        let answer = File::open(&answer).map_err(broken)?;
        let table = LineTable::read(BufReader::new(answer)).map_err(broken)?;
        table.map(Some).ok_or_else(|| failed("its answer is not complete"))
    }
}

fn failed(why: &str) -> miette::Report {
    miette!("JaCoCo's records could not be analysed: {why}")
}

fn analysis(prepared: &Prepared, files: [&Path; 2], log: &Path, tag: &str) -> process::Command {
    let helper = &prepared.helper;
    let mut class_path = helper.listeners.clone().into_os_string();
    for jar in std::iter::once(helper.jacoco_core()).chain(helper.asm()) {
        class_path.push(":");
        class_path.push(jar);
    }
    let mut args: Vec<OsString> = vec!["-cp".into(), class_path, ANALYSIS.into()];
    args.extend(files.map(OsString::from));
    process::Command {
        program: prepared.toolchain.java_home.join("bin/java"),
        args,
        // Not in the worktree: a JVM that crashes writes where it runs, and this one is parade's own.
        dir: log.parent().unwrap_or(Path::new("/")).to_owned(),
        environment: maven::environment(&prepared.toolchain, None, &BTreeMap::new()),
        output: log.to_owned().into(),
        output_limit: 1 << 20,
        cores: None,
        memory_bytes: None,
        time_limit: ANALYSIS_LIMIT,
        grace: Duration::from_secs(5),
        tag: format!("{tag}-{}-coverage", std::process::id()),
        user: None,
    }
}

/// The folders of the modules' own classes.
fn program(prepared: &Prepared) -> Vec<PathBuf> {
    let launches = prepared.discovery().suites.iter().filter_map(|suite| suite.launch.as_ref());
    let folders: BTreeSet<&PathBuf> = launches.flat_map(|launch| &launch.program).collect();
    folders.into_iter().filter(|folder| folder.is_dir()).cloned().collect()
}

/// What the agent is to look at, so that libraries stay as fast as they are. Tests in the program's packages are looked at
/// too; the analysis knows them apart.
fn packages(folders: &[PathBuf]) -> miette::Result<String> {
    let mut found = BTreeSet::new();
    for folder in folders {
        gather(folder, &mut Vec::new(), &mut found)
            .map_err(|error| file_error(format_args!("{}", folder.display()), &error))?;
    }
    let mut patterns: Vec<String> = Vec::new();
    for pattern in found {
        // In order, so what a pattern takes in comes after it.
        let taken = |earlier: &String| earlier.strip_suffix('*').is_some_and(|start| pattern.starts_with(start));
        if !patterns.last().is_some_and(taken) {
            patterns.push(pattern);
        }
    }
    let joined = patterns.join(":");
    Ok(match joined.len() {
        0 => "none".to_owned(),
        length if length > MOST_PACKAGES => "*".to_owned(),
        _ => joined,
    })
}

fn gather(folder: &Path, package: &mut Vec<String>, found: &mut BTreeSet<String>) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.file_type()?.is_dir() {
            package.push(name);
            gather(&entry.path(), package, found)?;
            package.pop();
        } else if let Some(class) = name.strip_suffix(".class").filter(|class| *class != "module-info") {
            let within = package.join(".");
            found.insert(if package.is_empty() { class.to_owned() } else { format!("{within}.*") });
        }
    }
    Ok(())
}

/// Which classes there are, and which of their probes any test hit.
fn question(folders: &[PathBuf], traces: &Traces) -> String {
    let mut text = String::new();
    for folder in folders {
        request::line(&mut text, QuestionKind::Folder, &[&folder.to_string_lossy()]);
    }
    let mut hits: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for pattern in traces.patterns() {
        let class = &traces.classes()[pattern.class];
        let hit = hits.entry(pattern.class).or_insert_with(|| vec![b'0'; class.probes as usize]);
        for probe in pattern.hits() {
            if let Some(mark) = hit.get_mut(probe as usize) {
                *mark = b'1';
            }
        }
    }
    for (class, hit) in hits {
        let id = format!("{:x}", traces.classes()[class].id);
        request::line(&mut text, QuestionKind::Hits, &[&id, &String::from_utf8_lossy(&hit)]);
    }
    text
}

/// By test. One that was run several times covers what any of its runs did.
fn covered(
    traces: &Traces,
    table: &LineTable,
    marks: &HashMap<Mark, TestId>,
    skipped: &[&TestId],
) -> Vec<(TestId, Vec<Element>)> {
    let cover = |pattern: &Pattern| table.cover(traces.classes()[pattern.class].id, pattern);
    let covers: Vec<Cover> = traces.patterns().iter().map(cover).collect();
    let mut patterns: BTreeMap<&TestId, BTreeSet<u32>> = skipped.iter().map(|test| (*test, BTreeSet::new())).collect();
    for record in traces.records() {
        if let Some(test) = marks.get(&Mark { process: record.process, number: record.test }) {
            patterns.entry(test).or_default().extend(&record.patterns);
        }
    }
    let together = |(test, patterns): (&TestId, BTreeSet<u32>)| {
        let mut cover = Cover::default();
        patterns.iter().for_each(|pattern| cover.add(&covers[*pattern as usize]));
        (test.clone(), cover.elements())
    };
    patterns.into_iter().map(together).collect()
}

/// What a reader of this coverage must know.
fn findings(traces: &Traces, table: &LineTable) -> Vec<Finding> {
    let mut texts = Vec::new();
    if traces.cut {
        texts.push(
            "the coverage exceeds the limit: tests that ran late have no coverage, or only a part of \
            it"
            .to_owned(),
        );
    }
    let others = traces.classes().iter().filter(|class| table.has_another(&class.name, class.id));
    let others: Vec<String> = others.map(|class| class.name.replace('/', ".")).collect();
    if !others.is_empty() {
        texts.push(format!(
            "{} did not have the bytecode of the build (another agent, or a copy elsewhere), so their coverage is not \
             known: {}",
            counted(others.len(), "class", "classes"),
            some(&others)
        ));
    }
    let unread: Vec<String> = table.unread.iter().map(|(class, why)| format!("{class} ({why})")).collect();
    if !unread.is_empty() {
        texts.push(format!("class files that could not be analysed: {}", some(&unread)));
    }
    if table.without_lines() > 0 {
        texts.push(format!(
            "{} without line numbers: only method coverage is known",
            plural(table.without_lines(), "class file")
        ));
    }
    texts.into_iter().map(|text| Finding::new(FindingKind::Deviation, text)).collect()
}

fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let first = names[..names.len() - more].join(", ");
    if more == 0 { first } else { format!("{first}, and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_protocol_are_asked() {
        let mut traces = Traces::default();
        let example = super::super::traces::protocol_example();
        traces.read_from(1, example.as_slice(), example.len() as u64);
        let asked = question(&[PathBuf::from("/w/target/classes")], &traces);
        assert_eq!(asked, maven::protocol::table::lines("question"));
    }

    #[test]
    fn the_agent_looks_at_the_programs_packages_only() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a/b/X.class", "a/b/c/Y.class", "a/bc/Z.class", "Main.class", "module-info.class", "d/readme.txt"]
        {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        assert_eq!(packages(&[folder.path().to_owned()]).unwrap(), "Main:a.b.*:a.bc.*");
        assert_eq!(packages(&[]).unwrap(), "none");
    }
}
