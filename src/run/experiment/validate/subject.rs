//! Subjects: where they come from, what runs on them, and what they change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::configuration::{check_width_keys, forks, modules, threads};
use super::harness::check_override;
use super::place::{self, SubjectHost};
use super::settings::{self, Settings};
use super::{At, Configuration, Context, list, quoted, suggestion};
use super::{regression, versions};
use crate::engine::model::ModelSuite;
use crate::experiment::raw::{RawFile, RawOverride, RawSubject};
use crate::project;
use crate::redaction::redact;
use crate::spec::Subject;
use crate::spec::{Located, Origin, Override};
use crate::subject::local_repository;
use crate::suite::{DependencyGraph, TestId};
use crate::technique::TechniqueKind;
use crate::toml_file::Mistakes;

const ORIGIN_KEYS: [&str; 3] = ["git", "path", "model"];
/// Keys about building, which a scripted suite never is.
const BUILD_KEYS: [&str; 13] = [
    "commit",
    "directory",
    "modules",
    "maven_args",
    "environment",
    "phase",
    "setup",
    "surefire",
    "disable_plugins",
    "jdk",
    "python",
    "user",
    "generator",
];
const SCHEMES: [&str; 5] = ["https", "http", "ssh", "git", "file"];

/// What all subjects of a file share.
pub(super) struct Common<'a> {
    pub raw: &'a RawFile,
    pub configurations: &'a [Configuration],
    pub timeout: Duration,
    pub repetitions: u32,
    /// What `[machine]` says of JDK and user.
    pub place: SubjectHost,
}

/// A subject, or all its versions.
pub(super) fn subjects(raw: &RawSubject, common: &Common<'_>, context: &Context<'_>) -> Vec<Subject> {
    let subject = subject(raw, common, context);
    versions::expanded(raw, subject, common, context)
}

fn subject(raw: &RawSubject, common: &Common<'_>, context: &Context<'_>) -> Subject {
    let (source, origin) = origin(raw, context);
    let Settings { maven_args, environment, phase, setup, surefire, disable_plugins, timeout } =
        settings::settings(&raw.settings, &common.raw.defaults, common.timeout, context);
    let SubjectHost { jdk, user } = place::of_subject(raw, &common.place, context);
    let subject = Subject {
        name: context.name(raw.name.as_ref(), "a subject"),
        source,
        origin,
        directory: raw.directory.as_ref().and_then(|written| inner_path(written, "directory", context)),
        modules: raw.modules.iter().filter_map(|written| module(written, context)).collect(),
        maven_args,
        environment,
        phase,
        setup,
        surefire,
        disable_plugins,
        timeout,
        repetitions: context.runs(raw.repetitions.as_ref(), "repetitions", 1, common.repetitions),
        configurations: configurations(raw, common, context),
        dependencies: raw.dependencies.as_ref().and_then(|written| dependencies(written, context)),
        jdk,
        maven: None,
        tools: raw.tools.iter().map(|(key, written)| ((*key).to_owned(), tool(written, context))).collect(),
        user,
        overrides: BTreeMap::new(),
        label: raw.label.as_ref().and_then(|written| regression::label(written, context)),
        inferred: raw.inferred.as_ref().map(|written| written.value.clone()),
        generator: raw.generator.as_ref().and_then(|written| regression::generator(written, context)),
        earlier: None,
        version: None,
    };
    check_project(raw, &subject, context);
    check_revision(raw, &subject, context);
    check_dependencies(raw, &subject, common, context);
    check_dependency_file(raw, &subject, context);
    Subject { overrides: overrides(raw, &subject, common, context), ..subject }
}

fn origin(raw: &RawSubject, context: &Context<'_>) -> (String, Origin) {
    let unknown = || (String::new(), Origin::Folder { path: PathBuf::new() });
    check_one_origin(raw, context);
    if let Some(model) = &raw.model {
        check_model_keys(raw, context);
        let path = existing(model, Path::is_file, "file", context).unwrap_or_default();
        check_model(model, &path, context);
        return (model.value.clone(), Origin::Model { path });
    }
    let revision = raw.commit.as_ref().and_then(|commit| revision(commit, context));
    if let Some(git) = &raw.git {
        if !raw.written.contains_key("commit") {
            let help = "add e.g. `commit = \"c1ee777\"` (a hash, tag or branch), so that other people run the same \
                code";
            context.log.add(&git.span, "a `git` subject has no `commit`", help);
        }
        let url = url(git, context);
        return (git.value.clone(), Origin::Git { url, revision: revision.unwrap_or_default() });
    }
    let Some(written) = &raw.path else { return unknown() };
    let path = existing(written, Path::is_dir, "folder", context).unwrap_or_default();
    let origin = match revision {
        Some(revision) => Origin::Git { url: path_text(&path, written, context), revision },
        None => Origin::Folder { path },
    };
    (written.value.clone(), origin)
}

/// A folder as it stands can be looked at before anything runs: is it there, and is it a project that parade can build?
fn check_project(raw: &RawSubject, subject: &Subject, context: &Context<'_>) {
    let (Origin::Folder { path }, Some(written)) = (&subject.origin, &raw.path) else { return };
    let root = subject.directory.as_ref().map_or_else(|| path.clone(), |below| path.join(below));
    // What set-up commands make is not there yet.
    if path.as_os_str().is_empty() || !subject.setup.is_empty() {
        return;
    }
    match &raw.directory {
        Some(directory) if subject.directory.is_some() && !root.is_dir() => {
            let message = format!("there is no folder {} in {}", quoted(&directory.value), quoted(&written.value));
            context.log.add(&directory.span, message, "write the root of the build, below the subject's `path`");
        }
        _ if project::other_tool(&root).is_some() || context.here.looks_into_projects => {
            let place = raw.directory.as_ref().unwrap_or(written);
            if let Some(refusal) = project::refusal(&root, &place.value) {
                return context.log.add(&place.span, refusal.message, refusal.help);
            }
            check_tools(raw, &root, context);
            check_modules(raw, &root, context);
        }
        _ => {}
    }
}

/// A program by its name, or by its path from the experiment file's folder on.
fn tool(written: &At<String>, context: &Context<'_>) -> Located {
    let is_name = !written.value.contains('/');
    let path = if is_name { PathBuf::from(&written.value) } else { context.folder.join(&written.value) };
    if written.value.is_empty() || written.value.contains('\0') {
        context.log.add(&written.span, "this names no program", "write the name of a program, or its path");
    }
    Located { written: written.value.clone(), path }
}

/// A tool that the project's platform does not know would have no effect.
fn check_tools(raw: &RawSubject, root: &Path, context: &Context<'_>) {
    let Some(platform) = project::platform_in(root) else { return };
    for (key, written) in raw.tools.iter().filter(|(key, _)| !platform.tool_keys().contains(key)) {
        let message = format!("`{key}` has no meaning for a project of {}", platform.name());
        context.log.add(&written.span, message, "remove this line");
    }
}

/// A module that the build does not know would end it.
fn check_modules(raw: &RawSubject, root: &Path, context: &Context<'_>) {
    let Some(platform) = project::platform_in(root) else { return };
    let known = platform.listed_modules(root);
    for written in &raw.modules {
        let path: PathBuf = Path::new(&written.value).components().collect();
        // What is no path of a module has been told already.
        if platform.has_module(root, &path) || !is_module_path(&written.value) {
            continue;
        }
        let message = format!("the project has no module {}", quoted(&written.value));
        let help = match known.is_empty() {
            true => "its build lists no modules: remove `modules`".to_owned(),
            false => suggestion(&written.value, "modules", known.iter().map(String::as_str)),
        };
        context.log.add(&written.span, message, help);
    }
}

/// A repository of this machine can be asked for the commit before anything runs. Others are asked when they are fetched.
fn check_revision(raw: &RawSubject, subject: &Subject, context: &Context<'_>) {
    let (Origin::Git { url, revision }, Some(written)) = (&subject.origin, raw.git.as_ref().or(raw.path.as_ref()))
    else {
        return;
    };
    let Some(folder) = local_repository(url).filter(|_| context.here.looks_into_projects) else { return };
    let repository = match git2::Repository::open(&folder).or_else(|_| git2::Repository::discover(&folder)) {
        Ok(repository) => repository,
        Err(_) => {
            let message = format!("{} is not a git repository", quoted(&redact(&written.value)));
            let help = match &raw.commit {
                Some(_) => "write the path of a clone, or remove `commit` to run the current files of the folder",
                None => "write a url with its scheme, such as `https://…`, or the path of a clone",
            };
            return context.log.add(&written.span, message, help);
        }
    };
    let remote = format!("refs/remotes/origin/{revision}");
    let is_known = [revision.as_str(), &remote].iter().any(|name| repository.revparse_single(name).is_ok());
    if let (false, Some(commit)) = (revision.is_empty() || is_known, &raw.commit) {
        let message = format!("{} has no commit, tag or branch {}", quoted(&redact(&written.value)), quoted(revision));
        let tags = repository.tag_names(None).ok();
        let tags: Vec<String> =
            tags.iter().flat_map(|tags| tags.iter().flatten().flatten().map(str::to_owned)).collect();
        let help = match tags.is_empty() {
            true => "`git log --oneline` lists commits".to_owned(),
            false => suggestion(revision, "tags", tags.iter().map(String::as_str)),
        };
        context.log.add(&commit.span, message, help);
    }
}

fn check_one_origin(raw: &RawSubject, context: &Context<'_>) {
    let written: Vec<_> = ORIGIN_KEYS.iter().filter_map(|key| raw.written.get_key_value(key)).collect();
    match written[..] {
        [] => context.log.add(
            &raw.span,
            "this subject does not say where it comes from",
            "add one of `git = \"https://…\"` with `commit`, `path = \"folder\"`, `model = \"suite.toml\"`",
        ),
        [_] => {}
        [.., (second, span)] => {
            let message = format!(
                "a subject has only one origin, but this one has \
                    {}",
                list(written.iter().map(|(key, _)| **key))
            );
            context.log.add(span, message, format!("keep one of them; remove e.g. `{second}`"));
        }
    }
}

fn check_model_keys(raw: &RawSubject, context: &Context<'_>) {
    for (key, span) in BUILD_KEYS.iter().filter_map(|key| raw.written.get_key_value(key)) {
        let message = format!("`{key}` has no meaning for a model");
        context.log.add(span, message, "a model suite is not built: remove this line");
    }
}

/// A commit, tag or branch by a name that git could have.
pub(super) fn revision(written: &At<String>, context: &Context<'_>) -> Option<String> {
    let name = &written.value;
    let strange = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    if name.is_empty() || name.starts_with('-') || name.contains("..") || name.contains(strange) {
        let message = format!("{} cannot be a commit, tag or branch", quoted(name));
        context.log.add(&written.span, message, "write a full or short hash (\"c1ee777\"), a tag or a branch");
        return None;
    }
    Some(name.clone())
}

/// A url as it is; a repository on this machine by its resolved path.
fn url(written: &At<String>, context: &Context<'_>) -> String {
    let text = &written.value;
    if let Some((scheme, _)) = text.split_once("://") {
        if !SCHEMES.contains(&scheme) {
            let message = format!("{} cannot be cloned", quoted(&redact(text)));
            context.log.add(&written.span, message, suggestion(scheme, "schemes", SCHEMES));
        } else if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            let message = format!("{} is not a url", quoted(&redact(text)));
            context.log.add(&written.span, message, "a URL contains no spaces: write %20");
        }
        return text.clone();
    }
    // git@host:path, as ssh users write it
    let is_scp =
        text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.starts_with('-') && !host.contains('/'));
    if is_scp {
        return text.clone();
    }
    existing(written, Path::is_dir, "folder", context)
        .map(|path| path_text(&path, written, context))
        .unwrap_or_default()
}

fn path_text(path: &Path, written: &At<String>, context: &Context<'_>) -> String {
    path.to_str().map(str::to_owned).unwrap_or_else(|| {
        let message = format!("{} leads to a folder whose name is not UTF-8", quoted(&written.value));
        context.log.add(&written.span, message, "the path of a git repository must be UTF-8: rename the folder");
        String::new()
    })
}

/// A suite that cannot be read would fail in every trial.
pub(super) fn check_model(written: &At<String>, path: &Path, context: &Context<'_>) {
    if path.as_os_str().is_empty() {
        return;
    }
    let Err(error) = ModelSuite::load(path) else { return };
    let error = match error.downcast::<Mistakes>() {
        Ok(mistakes) if mistakes.entries().iter().all(|mistake| mistake.line.is_some()) => {
            return context.log.add_elsewhere(&written.span, mistakes);
        }
        Ok(mistakes) => mistakes.entries().iter().map(|mistake| mistake.message.clone()).collect(),
        Err(error) => error.to_string(),
    };
    // As the experiment file has it, not as it was resolved.
    let shown = path.display().to_string();
    let message = error.trim().replace(&quoted(&shown), &quoted(&written.value));
    context.log.add(&written.span, message, "docs/model-suite.md describes model suites");
}

/// The path, from the experiment file's folder on, of something that is there.
pub(super) fn existing(
    written: &At<String>,
    is_kind: fn(&Path) -> bool,
    kind: &str,
    context: &Context<'_>,
) -> Option<PathBuf> {
    let path = context.folder.join(&written.value);
    let found = if written.value.is_empty() || written.value.contains('\0') { None } else { path.canonicalize().ok() };
    let problem = match &found {
        Some(found) if is_kind(found) => return Some(found.clone()),
        Some(_) => format!("is not a {kind}"),
        None => "does not exist".to_owned(),
    };
    let message = format!("{} {problem}", quoted(&written.value));
    let help = likely_meant(&written.value).unwrap_or_else(|| {
        format!(
            "write the path of a {kind}; relative paths start at the folder of the experiment file, {}",
            quoted(&context.folder.display().to_string())
        )
    });
    context.log.add(&written.span, message, help);
    None
}

/// What people write who mean something else than a path in this folder.
fn likely_meant(written: &str) -> Option<String> {
    if let Some(below) = written.strip_prefix("~/") {
        let home = std::env::var("HOME").unwrap_or_else(|_| "/home/you".to_owned());
        return Some(format!("`~` works only in a shell: write {}", quoted(&format!("{home}/{below}"))));
    }
    let (host, rest) = written.split_once('/')?;
    let is_host = host.contains('.') && !host.starts_with('.') && !host.ends_with('.') && rest.contains('/');
    is_host.then(|| format!("a url begins with its scheme: write `git = \"https://{written}\"`"))
}

/// A relative path that stays below where it starts.
fn inner_path(written: &At<String>, key: &str, context: &Context<'_>) -> Option<PathBuf> {
    let path = Path::new(&written.value);
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    if written.value.is_empty() || !inside || written.value.contains(['\0', '\n']) {
        let message = format!("{} does not stay inside the project", quoted(&written.value));
        let help = format!("a {key} is a relative path without `..`, e.g. \"lang/java\"");
        context.log.add(&written.span, message, help);
        return None;
    }
    Some(path.to_owned())
}

/// Not an option, a list or a name of Maven's, and below the root.
fn is_module_path(written: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_));
    is_one_module(written) && !written.is_empty() && Path::new(written).components().all(is_plain)
}

fn is_one_module(written: &str) -> bool {
    !written.starts_with(['-', '!', '+', '?']) && !written.contains([',', ':'])
}

fn module(written: &At<String>, context: &Context<'_>) -> Option<String> {
    if !is_one_module(&written.value) {
        let message = format!("{} is not the path of one module", quoted(&written.value));
        context.log.add(
            &written.span,
            message,
            "list each module by its path, e.g. `modules = [\"core\", \"web/api\"]`",
        );
        return None;
    }
    inner_path(written, "module", context).map(|_| written.value.clone())
}

fn configurations(raw: &RawSubject, common: &Common<'_>, context: &Context<'_>) -> Vec<String> {
    let Some(written) = &raw.configurations else { return Vec::new() };
    if written.value.is_empty() {
        let help = "name the configurations to run, or remove the line to run all of them";
        context.log.add(&written.span, "no configuration is left, so nothing would run on this subject", help);
    }
    written.value.iter().for_each(|name| check_configuration_name(name, common, context));
    let distinct: BTreeSet<_> = written.value.iter().map(|name| name.value.clone()).collect();
    distinct.into_iter().collect()
}

fn check_configuration_name(name: &At<String>, common: &Common<'_>, context: &Context<'_>) {
    let known = common.configurations.iter().map(|configuration| configuration.name.as_str());
    if !known.clone().any(|known| known == name.value) {
        let message = format!("there is no configuration {}", quoted(&name.value));
        context.log.add_with(&name.span, || (message, suggestion(&name.value, "configurations", known)));
    }
}

fn dependencies(written: &At<String>, context: &Context<'_>) -> Option<Located> {
    let path = existing(written, Path::is_file, "file", context)?;
    Some(Located { written: written.value.clone(), path })
}

/// A file that names tests which a model suite lacks would fail in every trial. What tests a project has, its build tells.
fn check_dependency_file(raw: &RawSubject, subject: &Subject, context: &Context<'_>) {
    let (Some(written), Some(file)) = (&raw.dependencies, &subject.dependencies) else { return };
    let Origin::Model { path } = &subject.origin else { return };
    // Versions may each lack some of the tests.
    if raw.written.contains_key("versions") {
        return;
    }
    let Ok(suite) = ModelSuite::load(path) else { return };
    let tests: Vec<TestId> = suite.tests.into_iter().map(|test| test.id).collect();
    if let Err(error) = DependencyGraph::load(&file.path, &tests) {
        let help = error.help().map(|help| help.to_string()).filter(|help| !help.is_empty());
        let help = help.unwrap_or_else(|| "docs/model-suite.md describes dependency files".to_owned());
        context.log.add(&written.span, error.to_string(), help);
    }
}

/// A sound rerun cannot be without the dependencies between tests.
fn check_dependencies(raw: &RawSubject, subject: &Subject, common: &Common<'_>, context: &Context<'_>) {
    let wants = common.configurations.iter().find(|configuration| {
        configuration.technique == TechniqueKind::SoundRerun && subject.runs(&configuration.name)
    });
    if let (Some(configuration), false) = (wants, raw.written.contains_key("dependencies")) {
        let message = format!("the configuration {} needs this subject's `dependencies`", quoted(&configuration.name));
        let help = "add `dependencies = \"file.toml\"`, or exclude that configuration with `configurations = […]`";
        context.log.add(raw.name.as_ref().map_or(&raw.span, |name| &name.span), message, help);
    }
}

fn overrides(
    raw: &RawSubject,
    subject: &Subject,
    common: &Common<'_>,
    context: &Context<'_>,
) -> BTreeMap<String, Override> {
    let mut overrides = BTreeMap::new();
    for (name, change) in &raw.overrides {
        check_configuration_name(name, common, context);
        let known = common.configurations.iter().find(|configuration| configuration.name == name.value);
        if let Some(configuration) = known {
            check_width_keys(&change.written, configuration.parallelism.mode, context);
            check_override(change, configuration, context);
            if !subject.runs(&name.value) {
                let message = format!("{} does not run on this subject", quoted(&name.value));
                context.log.add(
                    &name.span,
                    message,
                    "remove the override, or add it to this subject's `configurations`",
                );
            }
        }
        overrides.insert(name.value.clone(), change_of(change, context));
    }
    overrides
}

fn change_of(raw: &RawOverride, context: &Context<'_>) -> Override {
    Override {
        threads: raw.threads.as_ref().and_then(|written| threads(written, context)),
        threads_per_core: raw.threads_per_core.as_ref().map(|flag| flag.value),
        forks: raw.forks.as_ref().and_then(|written| forks(written, context)),
        reuse_forks: raw.reuse_forks.as_ref().map(|flag| flag.value),
        modules: raw.modules.as_ref().and_then(|written| modules(written, context)),
        test_timeout: raw.test_timeout.as_ref().and_then(|written| context.duration(written, "test_timeout")),
        timeout: raw.timeout.as_ref().and_then(|written| context.duration(written, "timeout")),
    }
}
