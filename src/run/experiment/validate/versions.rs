//! Versions of a subject, and what algorithms have to know of it: is there anything to select by, and to rank by?

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::subject::{Common, check_model, existing, revision};
use super::{At, Configuration, Context, MAX_NAME, MAX_RUNS, quoted};
use crate::engine::model::ModelSuite;
use crate::experiment::raw::{RawFile, RawSubject, RawVersions};
use crate::spec::Origin;
use crate::spec::Subject;
use crate::toml_file::mistake::Span;

/// What `.v001` adds to a name.
const SUFFIX: usize = 5;

/// The subject, or its versions where the file lists them.
pub(super) fn expanded(raw: &RawSubject, subject: Subject, common: &Common<'_>, context: &Context<'_>) -> Vec<Subject> {
    let ordered: Vec<&Configuration> =
        common.configurations.iter().filter(|each| each.ordering.is_some() && subject.runs(&each.name)).collect();
    let versions = match &raw.versions {
        None => vec![subject],
        Some(written) => {
            check_use(written, raw, &ordered, context);
            of(raw, subject, written, context)
        }
    };
    check_material(raw, &versions, &ordered, context);
    versions
}

fn of(raw: &RawSubject, subject: Subject, written: &At<RawVersions>, context: &Context<'_>) -> Vec<Subject> {
    match (&written.value, &subject.origin) {
        (RawVersions::UpTo(_), Origin::Model { .. }) => {
            let help = "list the files of its earlier versions, oldest first: `versions = [\"v1.toml\", \"v2.toml\"]`";
            context.log.add(&written.span, "a model suite has no history in which versions could be searched", help);
            vec![subject]
        }
        (RawVersions::UpTo(count), _) => {
            let within = (1..=MAX_RUNS).contains(count);
            if !within {
                let help = format!("write a number from 1 to {MAX_RUNS}, or a list of commits");
                context.log.add(&written.span, format!("`versions` cannot be {count}"), help);
            }
            vec![Subject { earlier: u32::try_from(*count).ok().filter(|_| within), ..subject }]
        }
        (RawVersions::These(list), Origin::Model { .. }) => {
            let models = list.iter().filter_map(|file| model(file, context)).collect();
            subject.with_earlier(models)
        }
        (RawVersions::These(list), Origin::Git { url, .. }) => {
            check_distinct(list, raw.commit.as_ref(), context);
            let commits = list.iter().filter_map(|commit| revision(commit, context));
            let at = |revision| (subject.source.clone(), Origin::Git { url: url.clone(), revision });
            subject.with_earlier(commits.map(at).collect())
        }
        (RawVersions::These(_), Origin::Folder { .. }) => vec![subject],
    }
}

/// Is there a history, and anything that is evaluated on versions?
fn check_use(written: &At<RawVersions>, raw: &RawSubject, ordered: &[&Configuration], context: &Context<'_>) {
    if raw.written.contains_key("path") && !raw.written.contains_key("commit") {
        let help = "add `commit`, the newest version, if the folder is a git repository; or remove the line";
        context.log.add(&written.span, "a folder without a commit has no versions", help);
    }
    if matches!(&written.value, RawVersions::These(list) if list.is_empty()) {
        let help = "list commits, oldest first, or write how many to search for: `versions = 10`";
        context.log.add(&written.span, "`versions` is empty", help);
    }
    if ordered.is_empty() {
        let help = "add a configuration such as `technique = \"T2\"`, or remove the line";
        context.log.add(&written.span, "no configuration of this subject uses versions", help);
    }
}

fn check_distinct(list: &[At<String>], newest: Option<&At<String>>, context: &Context<'_>) {
    let mut seen: BTreeSet<&str> = newest.iter().map(|commit| commit.value.as_str()).collect();
    for commit in list {
        if !seen.insert(&commit.value) {
            let message = format!("{} is a version already", quoted(&commit.value));
            context.log.add(&commit.span, message, "list every commit once; `commit` itself is the newest version");
        }
    }
}

fn model(written: &At<String>, context: &Context<'_>) -> Option<(String, Origin)> {
    let path = existing(written, Path::is_file, "file", context)?;
    check_model(written, &path, context);
    Some((written.value.clone(), Origin::Model { path }))
}

/// What algorithms go by has to be there: in a model's file, or in a history.
fn check_material(raw: &RawSubject, versions: &[Subject], ordered: &[&Configuration], context: &Context<'_>) {
    let place = raw.name.as_ref().map_or(&raw.span, |name| &name.span);
    let selection = ordered.iter().find(|each| each.technique.algorithm().is_some_and(|one| one.needs_change()));
    let by_coverage = ordered.iter().find(|each| each.technique.algorithm().is_some_and(|one| one.needs_coverage()));
    let models: Vec<&PathBuf> = versions
        .iter()
        .filter_map(|version| match &version.origin {
            Origin::Model { path } => Some(path),
            Origin::Git { .. } | Origin::Folder { .. } => None,
        })
        .collect();
    if let [first, later @ ..] = &models[..] {
        if let Some(each) = by_coverage {
            check_covers(first, each, place, context);
        }
        let evaluated = if later.is_empty() { &models[..] } else { later };
        if let Some(each) = selection {
            evaluated.iter().for_each(|path| check_changes(path, each, place, context));
        }
    } else if let (Some(each), None) = (selection, &raw.versions) {
        let message = format!("the configuration {} selects tests by changes between versions", quoted(&each.name));
        let help = "add `versions`, or exclude that configuration with `configurations = […]`";
        context.log.add(place, message, help);
    }
}

fn check_covers(path: &Path, configuration: &Configuration, place: &Span, context: &Context<'_>) {
    let Ok(suite) = ModelSuite::load(path) else { return };
    if !matches!(suite.coverage(), Ok(Some(_))) {
        let name = quoted(&configuration.name);
        let message = format!("{} does not declare the coverage of its tests, which {name} needs", file_name(path));
        context.log.add(place, message, "add `covers = [\"a/B.java:12-15\"]` to its tests; see docs/model-suite.md");
    }
}

fn check_changes(path: &Path, configuration: &Configuration, place: &Span, context: &Context<'_>) {
    let Ok(suite) = ModelSuite::load(path) else { return };
    if suite.changes.is_none() {
        let name = quoted(&configuration.name);
        let message = format!("{} does not declare changes, which {name} needs to select tests", file_name(path));
        context.log.add(place, message, "add `[changes]` with `modified = [\"a/B.java:12\"]` to that file");
    }
}

fn file_name(path: &Path) -> String {
    quoted(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// Versions are subjects, and need names like them.
pub(super) fn check_names(raw: &RawFile, subjects: &[Subject], context: &Context<'_>) {
    for written in raw.subjects.iter().filter(|each| each.versions.is_some()).filter_map(|each| each.name.as_ref()) {
        if written.value.len() + SUFFIX > MAX_NAME {
            let message = format!("{} is too long for a subject with versions", quoted(&written.value));
            let help = format!("write at most {} characters: versions are named `name.v01`", MAX_NAME - SUFFIX);
            context.log.add(&written.span, message, help);
        }
    }
    let versions: BTreeSet<&str> =
        subjects.iter().filter(|each| each.version.is_some()).map(|each| each.name.as_str()).collect();
    for name in raw.subjects.iter().filter_map(|each| each.name.as_ref()) {
        if versions.contains(name.value.as_str()) {
            let message = format!("{} is a version of another subject", quoted(&name.value));
            context.log.add(&name.span, message, "rename it");
        }
    }
}
