//! Has a subject's generator write its tests, once, on the first version. What it wrote is kept in the run folder, and is what
//! every version gets in place of the project's own tests.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;

use crate::draft::ScratchFolder;
use crate::spec::{Generator, Subject};
use crate::folder_handle::FolderHandle;
use crate::java::maven;
use crate::process::{self, Cause, Exit};
use crate::store::record::Verdict;
use crate::java::build::{ModuleSuite, Prepared};
use crate::java::generated::{GeneratedTests, encoded};

use super::knowledge::Refusal;
use super::open::{self, OpenSubject};
use super::{Event, Run};

/// Nobody reads more of what a generator says.
const MOST_OUTPUT: u64 = 16 << 20;
/// More sources than this are no suite.
const MOST_SOURCES: usize = 20_000;

impl Run<'_> {
    /// The subject with its generated tests; as it is where nobody generates any. `None` when the user interrupted.
    pub(super) fn with_generated(&mut self, subject: &Subject) -> miette::Result<Option<Result<Subject, Refusal>>> {
        let Some(generator) = &subject.generator else { return Ok(Some(Ok(subject.clone()))) };
        let place = self.folder.generated(subject.family());
        if let Some(refusal) = self.ungenerated.get(subject.family()) {
            return Ok(Some(Err(refusal.clone())));
        }
        if !place.is_dir() {
            match self.generate(subject, generator, &place)? {
                Some(Ok(())) => {}
                Some(Err(refusal)) => {
                    self.ungenerated.insert(subject.family().to_owned(), refusal.clone());
                    return Ok(Some(Err(refusal)));
                }
                None => return Ok(None),
            }
        }
        let sources = Some(GeneratedTests::at(&place)?);
        let generator = Some(Generator { sources, ..generator.clone() });
        Ok(Some(Ok(Subject { generator, ..subject.clone() })))
    }

    fn generate(
        &mut self,
        subject: &Subject,
        generator: &Generator,
        place: &Path,
    ) -> miette::Result<Option<Result<(), Refusal>>> {
        let Some(mut first) = self.order.experiment.versions_of(subject.family()).next().cloned() else {
            return Ok(Some(Err(Refusal::unsupported("there is no first version for which tests could be generated"))));
        };
        first.generator = None;
        let Some(open) = self.open_plain(&first)? else { return Ok(None) };
        let prepared = match (&open.record.failure, &open.prepared) {
            (Some(failure), _) => {
                let reason = format!("no tests can be generated, because the first version fails: {}", failure.reason);
                return Ok(Some(Err(Refusal { verdict: failure.verdict, reason })));
            }
            (None, Some(prepared)) => prepared.clone(),
            (None, None) => return Ok(Some(Err(Refusal::unsupported("a model has no classes to generate tests for")))),
        };
        let parent = place.parent().unwrap_or(place);
        std::fs::create_dir_all(parent).map_err(|error| miette!("{}: {error}", parent.display()))?;
        let draft = tempfile::Builder::new().prefix(".generated-").tempdir_in(parent);
        let draft = draft.map_err(|error| miette!("{}: {error}", parent.display()))?;
        let mut written = 0;
        for suite in prepared.discovery.suites.iter().filter(|suite| suite.launch.is_some()) {
            let text = format!("{}: generating tests", subject.family());
            self.watcher.event(&Event::Stage { text: &text });
            let generated = self.generate_module(generator, &prepared, suite, draft.path())?;
            if self.interrupt.is_set() {
                return Ok(None);
            }
            match generated {
                Ok(files) => written += files,
                Err(reason) => return Ok(Some(Err(Refusal { verdict: Verdict::BuildFailed, reason }))),
            }
        }
        if written == 0 {
            let reason = "the generator wrote no Java source into PARADE_OUTPUT".to_owned();
            return Ok(Some(Err(Refusal { verdict: Verdict::BuildFailed, reason })));
        }
        std::fs::rename(draft.keep(), place).map_err(|error| miette!("{}: {error}", place.display()))?;
        Ok(Some(Ok(())))
    }

    /// With the project's own tests, by the build's first run of which parade knows the class path.
    fn open_plain(&mut self, subject: &Subject) -> miette::Result<Option<OpenSubject>> {
        self.watcher.event(&Event::Preparing { subject: subject.family() });
        let request = open::Request {
            subject,
            pinned: self.pinned(subject),
            pinned_jdk: open::earlier_jdk(subject, &self.prepared_before),
            home: self.home,
            logs: self.folder.logs(&format!("prepare-{}", subject.family())),
            tag: &self.tag,
            seed: self.order.experiment.seed,
            build_timeout: self.order.experiment.machine.build_timeout,
            memory_bytes: self.order.experiment.machine.memory_bytes,
            direct: false,
        };
        open::open(&request, self.interrupt, self.watcher)
    }

    /// How many sources it wrote, or what went wrong.
    fn generate_module(
        &mut self,
        generator: &Generator,
        prepared: &Prepared,
        suite: &ModuleSuite,
        into: &Path,
    ) -> miette::Result<Result<usize, String>> {
        let scratch = ScratchFolder::make_in(&prepared.home.exchange())?;
        let failed = |error: std::io::Error| miette!("{}: {error}", scratch.path().display());
        let output = scratch.folder_for("output", prepared.user.as_ref()).map_err(failed)?;
        let log = self.folder.logs(&format!("generate-{}", prepared.subject.family())).join("generator.log");
        let logs = log.parent().unwrap_or(into);
        std::fs::create_dir_all(logs).map_err(|error| miette!("{}: {error}", logs.display()))?;
        let Some((program, args)) = generator.command.split_first() else {
            return Ok(Err("the generator has no program".to_owned()));
        };
        let ended = process::run(
            &process::Command {
                program: program.into(),
                args: args.iter().map(Into::into).collect(),
                dir: self.folder_of_experiment(),
                environment: self.environment_of(prepared, suite, &output),
                output: log.clone().into(),
                output_limit: MOST_OUTPUT,
                cores: None,
                memory_bytes: self.order.experiment.machine.memory_bytes,
                time_limit: generator.timeout,
                grace: Duration::from_secs(5),
                tag: format!("{}-{}-generator", self.tag, prepared.subject.family()),
                user: prepared.user.clone(),
            },
            self.interrupt,
        );
        let complaint = match ended {
            Err(error) => Some(format!("the generator: {error}")),
            Ok(ended) => complaint(ended.cause, ended.exit, generator.timeout),
        };
        if let Some(complaint) = complaint {
            return Ok(Err(format!("{complaint}; its output is in {}", log.display())));
        }
        let written = FolderHandle::open(&output).map_err(failed)?;
        let sources = java_sources(&written).map_err(failed)?;
        if sources.len() > MOST_SOURCES {
            return Ok(Err(format!(
                "the generator wrote {} sources; at most {MOST_SOURCES} are \
                allowed",
                sources.len()
            )));
        }
        let target = into.join(encoded(&suite.module));
        for source in &sources {
            let to = target.join(source);
            let moved = std::fs::create_dir_all(to.parent().unwrap_or(&target)).and_then(|()| {
                let mut from = written.file_below(source)?;
                std::io::copy(&mut from, &mut File::create_new(&to)?)
            });
            moved.map_err(|error| miette!("{}: {error}", to.display()))?;
        }
        Ok(Ok(sources.len()))
    }

    /// Relative paths in its command start there, as all in the file do.
    fn folder_of_experiment(&self) -> PathBuf {
        self.order.experiment_folder.as_ref().map_or_else(|| PathBuf::from("."), PathBuf::from)
    }

    fn environment_of(&self, prepared: &Prepared, suite: &ModuleSuite, output: &Path) -> BTreeMap<String, String> {
        let joined = |paths: &[PathBuf]| {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":")
        };
        let mut environment =
            maven::environment(&prepared.toolchain, prepared.user.as_ref(), &prepared.subject.environment);
        let launch = suite.launch.clone().unwrap_or_default();
        for (name, value) in [
            ("PARADE_CLASSPATH", joined(&launch.class_path)),
            ("PARADE_CLASSES", joined(&launch.program)),
            ("PARADE_OUTPUT", output.to_string_lossy().into_owned()),
            ("PARADE_SEED", self.order.experiment.seed.to_string()),
            ("PARADE_MODULE", suite.module.clone()),
        ] {
            environment.insert(name.to_owned(), value);
        }
        environment
    }
}

fn complaint(cause: Cause, exit: Exit, limit: Duration) -> Option<String> {
    match (cause, exit) {
        (Cause::Exited, Exit::Code(0)) => None,
        (Cause::TimedOut, _) => Some(format!("the generator took longer than {} seconds", limit.as_secs())),
        (_, Exit::Code(code)) => Some(format!("the generator ended with exit code {code}")),
        (_, Exit::Signal(signal)) => Some(format!("the generator was ended by signal {signal}")),
    }
}

fn java_sources(folder: &FolderHandle) -> std::io::Result<Vec<PathBuf>> {
    let is_java = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "java");
    Ok(folder.files()?.into_iter().filter(is_java).collect())
}
