//! What algorithms have to know of a subject before their orders are evaluated: measured on its first version, once, and
//! kept in the run folder.
//!
//! Durations, coverage and every order that was run on the way are steps of their own. A step that is on record is not
//! carried out again, so a run that was killed continues there.

mod inquiry;
mod lines;
mod needs;
mod tidy;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::engine::{EngineKind, Resources, Session};
use crate::file_error::is_disk_full;
use crate::spec::Subject;
use crate::store::record::{Authorship, DependenciesRecord, KnowledgeRecord, Verdict};
use crate::store::{ProfileFiles, TestDuration};
use crate::suite::{Change, Coverage, Dependency, TestId};
use crate::technique::Ordering;
use crate::technique::detect::seek::{FoundDependencies, united};
use crate::wording::counted;

use super::open::OpenSubject;
use super::trial::describe;
use super::{Event, Run};

use inquiry::{Interruptible, ProfileMeasurement};
use lines::SourceLines;
use needs::{DependencySearch, ProfileNeeds};

/// What is known of a subject, as its first version has it.
#[derive(Debug)]
pub(super) struct SubjectProfile {
    files: ProfileFiles,
    /// The commit, where it has one.
    pub revision: Option<String>,
    /// In the original order.
    pub tests: Vec<TestId>,
    /// What each of them takes.
    pub seconds: Vec<f64>,
    /// Or why it is not known.
    pub coverage: Result<Coverage, String>,
    dependencies: HashMap<DependencySearch, Vec<Dependency>>,
    all_dependencies: Vec<Dependency>,
}

/// Why nothing can be ordered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub verdict: Verdict,
    pub reason: String,
}

impl Refusal {
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Refusal { verdict: Verdict::Unsupported, reason: reason.into() }
    }
}

impl SubjectProfile {
    /// What an enhanced order goes by.
    pub fn dependencies(&self, ordering: &Ordering) -> &[Dependency] {
        self.dependencies.get(&DependencySearch::of(ordering)).unwrap_or(&self.all_dependencies)
    }

    pub fn write_change(&self, subject: &str, change: &Change) -> miette::Result<()> {
        self.files.write_change(subject, change)
    }
}

/// What was found, with what it is made of.
struct Findings {
    revision: Option<String>,
    durations: Vec<TestDuration>,
    coverage: Result<Coverage, String>,
    searches: Vec<(DependencySearch, FoundDependencies)>,
    given: Option<Vec<Dependency>>,
    order_dependent: BTreeSet<TestId>,
}

impl Run<'_> {
    /// Are all versions looked at for the profile of a subject? Not where the result is on record.
    pub(super) fn profile_needs_all_versions(&self, family: &str) -> bool {
        let needs = ProfileNeeds::of(self.order.experiment, &self.planned, family);
        needs.rounds > 0 && self.recorded_profile(family, &needs).is_none()
    }

    fn recorded_profile(&self, family: &str, needs: &ProfileNeeds) -> Option<&KnowledgeRecord> {
        self.record.recorded().knowledge.get(family).filter(|record| needs.are_met_by(record))
    }

    /// Measures what the orders of algorithms need to know of a subject.
    pub(super) fn profile(&mut self, family: &str) -> miette::Result<()> {
        let Some(first) = self.order.experiment.versions_of(family).next() else { return Ok(()) };
        let Some(mut open) = self.subjects.open.remove(&first.name) else { return Ok(()) };
        let profile = self.profile_of(family, first, &mut open);
        self.subjects.open.insert(first.name.clone(), open);
        let profile = match profile {
            Ok(Some(profile)) => profile,
            Ok(None) => return Ok(()),
            // On a full disk nothing can be measured; when there is room, the same command goes on.
            Err(error) if is_disk_full(&error) => return Err(error),
            Err(error) => Err(Refusal { verdict: Verdict::HarnessError, reason: describe(&error) }),
        };
        self.subjects.profiles.insert(family.to_owned(), profile);
        Ok(())
    }

    fn profile_of(
        &mut self,
        family: &str,
        first: &Subject,
        open: &mut OpenSubject,
    ) -> Interruptible<Result<SubjectProfile, Refusal>> {
        if let Some(failure) = &open.record.failure {
            let reason = format!("the first version could not be prepared: {}", failure.reason);
            return Ok(Some(Err(Refusal { verdict: failure.verdict, reason })));
        }
        if let Err(why) = ordering_session(open) {
            return Ok(Some(Err(Refusal::unsupported(why))));
        }
        let needs = ProfileNeeds::of(self.order.experiment, &self.planned, family);
        let files = ProfileFiles::open(self.record.folder(), family, &self.identity(first, open))?;
        let Some(mut findings) = self.inquire(family, first, open, &files, &needs)? else { return Ok(None) };
        if self.recorded_profile(family, &needs).is_none() {
            let Some(found) = self.rounds(family, open, &findings.durations, &files, &needs)? else { return Ok(None) };
            findings.order_dependent = found;
            let record = record(first, open, &findings, &needs);
            self.record.record_knowledge(&record)?;
            self.watcher.event(&Event::Learnt { knowledge: &record });
        }
        knowledge(findings, files, &needs).map(|knowledge| Some(Ok(knowledge)))
    }

    /// Everything about the first version.
    fn inquire(
        &mut self,
        family: &str,
        first: &Subject,
        open: &mut OpenSubject,
        files: &ProfileFiles,
        needs: &ProfileNeeds,
    ) -> Interruptible<Findings> {
        let revision = open.record.revision.clone();
        let given = open.dependencies.as_ref().map(|graph| graph.dependencies().cloned().collect());
        let mut inquiry = self.inquiry(family, first, open, files)?;
        let Some(durations) = inquiry.durations()? else { return Ok(None) };
        let coverage = if needs.coverage() { inquiry.coverage()? } else { Some(Err("nobody asked".to_owned())) };
        let Some(coverage) = coverage else { return Ok(None) };
        let mut searches = Vec::new();
        for search in needs.searches() {
            if search.algorithm.needs_coverage() && coverage.is_err() {
                continue;
            }
            let sought = inquiry.seek(search, &durations, coverage.as_ref().ok())?;
            let Some(sought) = sought else { return Ok(None) };
            searches.push((search, sought));
        }
        Ok(Some(Findings { revision, durations, coverage, searches, given, order_dependent: BTreeSet::new() }))
    }

    /// Random orders on every version, of the tests that the first one has.
    fn rounds(
        &mut self,
        family: &str,
        first: &mut OpenSubject,
        durations: &[TestDuration],
        files: &ProfileFiles,
        needs: &ProfileNeeds,
    ) -> Interruptible<BTreeSet<TestId>> {
        let mut found = BTreeSet::new();
        if needs.rounds == 0 {
            return Ok(Some(found));
        }
        let experiment = self.order.experiment;
        for subject in experiment.versions_of(family) {
            let mut taken = self.subjects.open.remove(&subject.name);
            let open = if subject.name == first.record.subject { Some(&mut *first) } else { taken.as_mut() };
            let answer = match open {
                Some(open) => self.rounds_on(family, subject, open, durations, files, needs),
                None => Ok(Some(Vec::new())),
            };
            if let Some(open) = taken {
                self.subjects.open.insert(subject.name.clone(), open);
            }
            let Some(tests) = answer? else { return Ok(None) };
            found.extend(tests);
        }
        Ok(Some(found))
    }

    fn rounds_on(
        &mut self,
        family: &str,
        subject: &Subject,
        open: &mut OpenSubject,
        durations: &[TestDuration],
        files: &ProfileFiles,
        needs: &ProfileNeeds,
    ) -> Interruptible<Vec<TestId>> {
        if open.record.failure.is_some() || ordering_session(open).is_err() {
            return Ok(Some(Vec::new()));
        }
        let seed = self.order.experiment.seed;
        let mut inquiry = self.inquiry(family, subject, open, files)?;
        let old: HashSet<&TestId> = durations.iter().map(|row| &row.test).collect();
        let tests: Vec<TestId> = inquiry.session.tests().iter().filter(|test| old.contains(test)).cloned().collect();
        inquiry.order_dependent(&tests, needs.rounds, seed)
    }

    fn inquiry<'a>(
        &'a mut self,
        family: &str,
        subject: &'a Subject,
        open: &'a mut OpenSubject,
        files: &'a ProfileFiles,
    ) -> miette::Result<ProfileMeasurement<'a>> {
        let groups = open.project.as_ref().map(|project| project.process_groups()).unwrap_or_default();
        let machine = &self.order.experiment.machine;
        let resources = Resources {
            cores: machine.cores.iter().copied().max().unwrap_or(1),
            memory_bytes: machine.memory_bytes,
            logs: self.record.folder().logs(&format!("knowledge-{family}")),
        };
        let identity = self.identity(subject, open);
        let OpenSubject { session, direct, set_aside, .. } = open;
        let session = session_of(session, direct).map_err(|why| miette::miette!("{why}"))?;
        Ok(ProfileMeasurement {
            subject: &subject.name,
            identity,
            record: &mut self.record,
            session,
            groups,
            set_aside,
            files,
            resources,
            time_limit: subject.timeout,
            interrupt: self.interrupt,
            watcher: &mut *self.watcher,
        })
    }

    /// Of everything that what is found out depends on.
    fn identity(&self, subject: &Subject, open: &OpenSubject) -> String {
        let contents = self.contents.get(&subject.name);
        let tests: Vec<String> =
            open.session.iter().flat_map(|session| session.tests()).map(TestId::to_string).collect();
        let mut set_aside: Vec<String> = open.set_aside.iter().map(TestId::to_string).collect();
        set_aside.sort();
        let mut key = subject.fingerprint().of_outcomes("profile");
        key.text("revision", open.record.revision.as_deref().unwrap_or_default());
        key.text("jdk", open.record.jdk.as_deref().unwrap_or_default());
        key.text("contents", contents.map_or("", String::as_str));
        key.text("generated tests", subject.generated_tests().map_or("", |tests| &tests.hash));
        key.texts("tests", tests.iter().map(String::as_str));
        key.texts("set aside", set_aside.iter().map(String::as_str));
        key.digits(32)
    }
}

/// The engine that imposes orders on a subject, or why there is none.
fn ordering_session(open: &mut OpenSubject) -> Result<&mut dyn Session, String> {
    session_of(&mut open.session, &mut open.direct)
}

fn session_of<'a>(
    session: &'a mut Option<Box<dyn Session>>,
    direct: &'a mut Option<Result<Box<dyn Session>, String>>,
) -> Result<&'a mut dyn Session, String> {
    match (session, direct) {
        (Some(session), _) if session.engine() == EngineKind::Model => Ok(session.as_mut()),
        (_, Some(Ok(direct))) => Ok(direct.as_mut()),
        (_, Some(Err(why))) => Err(format!("the direct engine cannot run this suite: {why}")),
        (_, None) => Err("the direct engine was not opened for this subject".to_owned()),
    }
}

fn record(first: &Subject, open: &OpenSubject, findings: &Findings, needs: &ProfileNeeds) -> KnowledgeRecord {
    let lines = open.project.as_ref().map(|project| lines::count(&project.source_folders()));
    let lines = lines.filter(|lines| *lines != SourceLines::default());
    let dependencies = findings.searches.iter().map(|(search, sought)| DependenciesRecord {
        algorithm: search.algorithm,
        machines: search.machines,
        order_dependent: sought.order_dependent.clone(),
        seconds: sought.seconds,
        turns: sought.turns.saturating_sub(1),
        complete: sought.complete,
    });
    KnowledgeRecord {
        subject: first.family().to_owned(),
        label: first.label.clone(),
        authorship: if first.generator.is_some() { Authorship::Auto } else { Authorship::Human },
        tests: findings.durations.len(),
        suite_seconds: findings.durations.iter().map(|row| row.seconds).sum(),
        source_lines: lines.map(|lines| lines.program),
        test_lines: lines.map(|lines| lines.tests),
        rounds: needs.rounds,
        order_dependent: findings.order_dependent.iter().cloned().collect(),
        dependencies: dependencies.collect(),
        notes: notes(findings, needs),
    }
}

fn notes(findings: &Findings, needs: &ProfileNeeds) -> Vec<String> {
    let uncovered = findings.coverage.as_ref().err().filter(|_| needs.coverage()).cloned();
    let unfinished = findings.searches.iter().filter(|(_, sought)| !sought.complete).map(|(search, sought)| {
        let tests = counted(sought.order_dependent.len(), "test", "tests");
        format!(
            "orders of {} on {} still fail with all dependencies that were found: {tests} fail in them",
            search.algorithm,
            counted(search.machines as usize, "machine", "machines")
        )
    });
    uncovered.into_iter().chain(unfinished).collect()
}

/// Puts together what orders are made from, and writes the dependencies where a person finds them.
fn knowledge(findings: Findings, files: ProfileFiles, needs: &ProfileNeeds) -> miette::Result<SubjectProfile> {
    let Findings { revision, durations, coverage, searches, given, .. } = findings;
    let tests: Vec<TestId> = durations.iter().map(|row| row.test.clone()).collect();
    let found = searches.iter().map(|(_, sought)| sought.dependencies.as_slice());
    let all_dependencies = given.unwrap_or_else(|| united(found, &tests));
    let dependencies: HashMap<DependencySearch, Vec<Dependency>> =
        searches.into_iter().map(|(search, sought)| (search, sought.dependencies)).collect();
    let seconds = durations.iter().map(|row| row.seconds).collect();
    let knowledge = SubjectProfile { files, revision, tests, seconds, coverage, dependencies, all_dependencies };
    if needs.orderings.iter().any(|(_, ordering)| ordering.enhanced) {
        knowledge.files.write_dependencies("all", &knowledge.all_dependencies)?;
        for (name, ordering) in needs.orderings.iter().filter(|(_, ordering)| ordering.enhanced) {
            knowledge.files.write_dependencies(name, knowledge.dependencies(ordering))?;
        }
    }
    Ok(knowledge)
}
