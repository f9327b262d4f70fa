//! Has a subject's generator write its tests, once, on the first version. What it wrote is kept in the run folder, and is what
//! every version gets in place of the project's own tests.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::draft::ScratchFolder;
use crate::file_content;
use crate::file_error::file_error;
use crate::folder_handle::FolderHandle;
use crate::process::{self, Account, Cause, Exit};
use crate::project::GeneratorTarget;
use crate::spec::{GeneratedTests, Generator, Subject, encoded_module};
use crate::store::record::{StepKind, StepRecord, Verdict};

use super::profile::Refusal;
use super::{Event, Run};

/// Nobody reads more of what a generator says.
const MOST_OUTPUT: u64 = 16 << 20;
/// More sources than this are no suite.
const MOST_SOURCES: usize = 20_000;

/// The outcome of the step.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct GeneratedOutcome {
    /// Of all sources.
    sha256: String,
}

impl Run<'_> {
    /// Has the generator of a subject write its tests, unless they are on record.
    pub(super) fn generate_tests(&mut self, step: &str, family: &str) -> miette::Result<()> {
        let first = self.order.experiment.versions_of(family).next().cloned();
        let Some((first, generator)) = first.and_then(|first| Some((first.clone(), first.generator?))) else {
            return Ok(());
        };
        let place = self.record.folder().generated(family);
        if !place.is_dir() {
            match self.generate(&first, &generator, &place)? {
                Some(Ok(())) => {}
                Some(Err(refusal)) => {
                    self.subjects.not_generated.insert(family.to_owned(), refusal);
                    return Ok(());
                }
                None => return Ok(()),
            }
        }
        let written = GeneratedOutcome { sha256: GeneratedTests::at(&place)?.hash };
        match self.record.recorded().steps.get(step).and_then(StepRecord::outcome::<GeneratedOutcome>) {
            None => self.record.record_step(StepRecord::new(step, StepKind::Generate, family, &written)?)?,
            Some(before) if before != written => {
                let reason = format!(
                    "the generated tests in {} are not those that the generator wrote; start a new run with --fresh",
                    place.display()
                );
                let refusal = Refusal { verdict: Verdict::HarnessError, reason };
                self.subjects.not_generated.insert(family.to_owned(), refusal);
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The subject with its generated tests, or why there are none; as it is where it has no generator.
    pub(super) fn with_generated_tests(&self, subject: &Subject) -> miette::Result<Result<Subject, Refusal>> {
        let Some(generator) = &subject.generator else { return Ok(Ok(subject.clone())) };
        if let Some(refusal) = self.subjects.not_generated.get(subject.family()) {
            return Ok(Err(refusal.clone()));
        }
        let sources = Some(GeneratedTests::at(&self.record.folder().generated(subject.family()))?);
        let generator = Some(Generator { sources, ..generator.clone() });
        Ok(Ok(Subject { generator, ..subject.clone() }))
    }

    fn generate(
        &mut self,
        subject: &Subject,
        generator: &Generator,
        place: &Path,
    ) -> miette::Result<Option<Result<(), Refusal>>> {
        // With the project's own tests, by whose first run parade knows the class path.
        let plain = Subject { generator: None, ..subject.clone() };
        self.watcher.event(&Event::Preparing { subject: subject.family() });
        let Some(open) = self.open(&plain, false, subject.family())? else { return Ok(None) };
        let project = match (&open.record.failure, &open.project) {
            (Some(failure), _) => {
                let reason = format!("no tests can be generated, because the first version fails: {}", failure.reason);
                return Ok(Some(Err(Refusal { verdict: failure.verdict, reason })));
            }
            (None, Some(project)) if project.model().is_none() => project,
            (None, _) => return Ok(Some(Err(Refusal::unsupported("a model has no classes to generate tests for")))),
        };
        let parent = place.parent().unwrap_or(place);
        std::fs::create_dir_all(parent).map_err(|error| file_error(format_args!("{}", parent.display()), &error))?;
        let draft = tempfile::Builder::new().prefix(".generated-").tempdir_in(parent);
        let draft = draft.map_err(|error| file_error(format_args!("{}", parent.display()), &error))?;
        let mut written = 0;
        for target in project.generator_targets() {
            let text = format!("{}: generating tests", subject.family());
            self.watcher.event(&Event::Stage { text: &text });
            let generated = self.generate_module(subject, generator, &target, project.user(), draft.path())?;
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
        std::fs::rename(draft.keep(), place)
            .map_err(|error| file_error(format_args!("{}", place.display()), &error))?;
        Ok(Some(Ok(())))
    }

    /// How many sources it wrote, or what went wrong.
    fn generate_module(
        &mut self,
        subject: &Subject,
        generator: &Generator,
        target: &GeneratorTarget,
        user: Option<&Account>,
        into: &Path,
    ) -> miette::Result<Result<usize, String>> {
        let scratch = ScratchFolder::make_in(&self.home.exchange())?;
        let failed = |error: std::io::Error| file_error(format_args!("{}", scratch.path().display()), &error);
        let output = scratch.folder_for("output", user).map_err(failed)?;
        let log = self.record.folder().logs(&format!("generate-{}", subject.family())).join("generator.log");
        let logs = log.parent().unwrap_or(into);
        std::fs::create_dir_all(logs).map_err(|error| file_error(format_args!("{}", logs.display()), &error))?;
        let Some((program, args)) = generator.command.split_first() else {
            return Ok(Err("the generator has no program".to_owned()));
        };
        let ended = process::run(
            &process::Command {
                program: program.into(),
                args: args.iter().map(Into::into).collect(),
                dir: self.folder_of_experiment(),
                environment: self.environment_of(target, &output),
                output: log.clone().into(),
                output_limit: MOST_OUTPUT,
                cores: None,
                memory_bytes: self.order.experiment.machine.memory_bytes,
                time_limit: generator.timeout,
                grace: Duration::from_secs(5),
                tag: format!("{}-{}-generator", self.tag, subject.family()),
                user: user.cloned(),
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
        let sources = sources_of(&written, target.extension).map_err(failed)?;
        if sources.len() > MOST_SOURCES {
            return Ok(Err(format!(
                "the generator wrote {} sources; at most {MOST_SOURCES} are \
                allowed",
                sources.len()
            )));
        }
        let folder = into.join(encoded_module(&target.module));
        for source in &sources {
            let to = folder.join(source);
            let moved = std::fs::create_dir_all(to.parent().unwrap_or(&folder))
                .and_then(|()| file_content::copy(&written.file_below(source)?, &File::create_new(&to)?, &|| false));
            moved.map_err(|error| file_error(format_args!("{}", to.display()), &error))?;
        }
        Ok(Ok(sources.len()))
    }

    /// Relative paths in its command start there, as all in the file do.
    fn folder_of_experiment(&self) -> PathBuf {
        self.order.experiment_folder.as_ref().map_or_else(|| PathBuf::from("."), PathBuf::from)
    }

    fn environment_of(&self, target: &GeneratorTarget, output: &Path) -> BTreeMap<String, String> {
        let mut environment = target.environment.clone();
        for (name, value) in [
            ("PARADE_OUTPUT", output.to_string_lossy().into_owned()),
            ("PARADE_SEED", self.order.experiment.seed.to_string()),
            ("PARADE_MODULE", target.module.clone()),
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

fn sources_of(folder: &FolderHandle, wanted: &str) -> std::io::Result<Vec<PathBuf>> {
    let is_source = |file: &PathBuf| file.extension().is_some_and(|extension| extension == wanted);
    Ok(folder.files()?.into_iter().filter(is_source).collect())
}
