//! `parade init`: a commented experiment file to start from.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use miette::miette;
use parade::experiment::{self, MachineLimits, Starter, StarterOrigin};
use parade::project::{self, BuildLayout};
use parade::redaction::{redact, without_parameters};
use serde_json::json;

use super::BadUsage;
use super::output::{pretty, print};

#[derive(Debug)]
pub struct InitOptions {
    pub file: PathBuf,
    /// A folder, a url or a model suite; the current folder where it is a project, else an example.
    pub subject: Option<String>,
    /// Replace a file that is there.
    pub force: bool,
    pub json: bool,
}

pub fn run(options: &InitOptions) -> miette::Result<ExitCode> {
    let file = &options.file;
    if file.symlink_metadata().is_ok() && !options.force {
        return Err(BadUsage {
            message: format!("{} already exists", file.display()),
            help: "choose another name, or add --force to overwrite it".to_owned(),
        }
        .into());
    }
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(|error| miette!("{}: {error}", folder.display()))?;
    let starter = starter(options.subject.as_deref(), &folder)?;
    let name = file.file_name().ok_or_else(|| miette!("{} is not the name of a file", file.display()))?;
    parade::store::write_atomically(&folder.join(name), starter.text().as_bytes())?;
    experiment::load(file, &MachineLimits::here())?;
    if options.json {
        print(&pretty(&json!({ "file": file, "subject": starter.subject() }))?)?;
    } else {
        print(&next_steps(file, &starter))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn starter(subject: Option<&str>, folder: &Path) -> Result<Starter, BadUsage> {
    let here = || project::platform_in(Path::new(".")).map(|_| ".".to_owned());
    let Some(named) = subject.map(str::to_owned).or_else(here) else { return Ok(example()) };
    let path = Path::new(&named);
    if !path.exists() && (named.contains("://") || named.contains(':')) {
        let commit = "HEAD".to_owned();
        return Ok(Starter::new(
            last_part(&without_parameters(&named)),
            StarterOrigin::Repository { url: redact(&named), commit },
        ));
    }
    let unknown = |why: String| BadUsage {
        message: format!("{named}: {why}"),
        help: "give the folder of a Maven or pytest project, a git URL, or a model suite".to_owned(),
    };
    let found = path.canonicalize().map_err(|error| unknown(error.to_string()))?;
    let name = found.file_stem().map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned());
    let not_utf8 = || unknown("its path is not UTF-8".to_owned());
    let is_pom = found.is_file() && found.file_name().is_some_and(|name| name == "pom.xml");
    if found.is_file() && !is_pom {
        let path = path_from(folder, &found).ok_or_else(not_utf8)?;
        return Ok(Starter::new(name, StarterOrigin::Model { path }));
    }
    let found = if is_pom { found.parent().unwrap_or(&found).to_owned() } else { found };
    let name = found.file_name().map_or(name, |name| name.to_string_lossy().into_owned());
    of_folder(name, folder, &found).ok_or_else(not_utf8)
}

/// A module is built by the pom that lists it, with the parents that are named by path.
fn of_folder(name: String, folder: &Path, project: &Path) -> Option<Starter> {
    let whole = || BuildLayout { tree: project.to_owned(), root: project.to_owned(), modules: Vec::new() };
    let layout = project::platform_in(project).and_then(|platform| platform.layout(project, &[]).ok());
    let BuildLayout { tree, root, modules } = layout.unwrap_or_else(whole);
    let path = path_from(folder, &tree)?;
    let (commit, remote) = repository(&tree);
    let below = root.strip_prefix(&tree).ok().filter(|below| !below.as_os_str().is_empty());
    let directory = below.map(|below| below.to_str().map(str::to_owned));
    let directory = match directory {
        Some(directory) => Some(directory?),
        None => None,
    };
    Some(Starter { name, from: StarterOrigin::Folder { path, commit, remote }, directory, modules })
}

/// For who has nothing at hand yet.
fn example() -> Starter {
    let (url, commit) = ("https://github.com/apache/commons-io".to_owned(), "c1ee777".to_owned());
    Starter::new("commons-io".to_owned(), StarterOrigin::Repository { url, commit })
}

fn last_part(url: &str) -> String {
    let url = url.trim_end_matches('/').trim_end_matches(".git");
    url.rsplit(['/', ':']).next().unwrap_or(url).to_owned()
}

/// Relative where the subject lies below the file, or around it, so that both can be moved together.
fn path_from(folder: &Path, subject: &Path) -> Option<String> {
    if let Some(depth) = folder.strip_prefix(subject).ok().map(|inner| inner.components().count()).filter(|n| *n > 0) {
        return Some(vec![".."; depth].join("/"));
    }
    let below = subject.strip_prefix(folder).unwrap_or(subject);
    let shown = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    shown.to_str().map(str::to_owned)
}

/// The commit that a folder is at, and where it came from, if it is a repository of its own.
fn repository(folder: &Path) -> (Option<String>, Option<String>) {
    let Ok(repository) = git2::Repository::open(folder) else { return (None, None) };
    let commit =
        repository.head().ok().and_then(|head| head.peel_to_commit().ok()).map(|commit| commit.id().to_string());
    let remote = repository.find_remote("origin").ok().and_then(|remote| remote.url().map(redact).ok());
    (commit, remote)
}

fn next_steps(file: &Path, starter: &Starter) -> String {
    let file = file.display();
    let mut text = format!(
        "Wrote {file}. Next:\n  parade check {file}          shows the plan and its statistical power\n  parade run \
         {file} --quick    a quick try: every cell once\n  parade run {file}            runs it; after an \
         interruption the same command resumes\n"
    );
    match &starter.from {
        StarterOrigin::Folder { path, commit: None, .. } if path.split('/').all(|part| part == "." || part == "..") => {
            text.push_str(
                "The results would be inside the measured folder and change it: run with --out and a folder outside of \
             it.\n",
            )
        }
        StarterOrigin::Repository { commit, .. } if commit == "HEAD" => {
            text.push_str("`commit = \"HEAD\"` moves: write a hash to always run the same code.\n");
        }
        _ => {}
    }
    text
}
