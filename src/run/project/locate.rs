//! From what a person names on the command line to a subject: a folder with a build file, one module of a build, a repository,
//! a scripted suite; and the same project at an earlier revision.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::kind::{main_file, other_tool, supported};
use super::{BuildLayout, Refusal, platform_in, platforms};
use crate::redaction::{redact, without_parameters};
use crate::spec::{Origin, Subject, SurefireVersion};
use crate::toml_file::safe_name;

/// What to run of it.
#[derive(Debug, Clone, Default)]
pub struct Choice<'a> {
    /// A commit, tag or branch; for a folder, what stands there where there is none.
    pub revision: Option<&'a str>,
    /// Modules below the project by path, or by `:artifact`; all where there is none.
    pub modules: &'a [String],
}

/// Finds the project that is named by a path or a url. Nothing is copied or fetched yet.
pub fn locate(named: &str, choice: &Choice<'_>, time_limit: Duration) -> Result<Subject, Refusal> {
    let path = Path::new(named);
    if !path.exists() && is_url(named) {
        return Ok(of_repository(named, choice, time_limit));
    }
    let path = path.canonicalize().map_err(|error| Refusal {
        message: format!("{named}: {error}"),
        help: format!("give the folder of a project of {}, a git URL, or a model suite", supported()),
    })?;
    if path.is_file() && path.extension().is_some_and(|extension| extension == "toml") {
        return of_model(named, path, choice, time_limit);
    }
    let is_build_file =
        |name: &std::ffi::OsStr| platforms().iter().any(|each| each.build_files().iter().any(|own| name == *own));
    let is_build_file = path.is_file() && path.file_name().is_some_and(is_build_file);
    let folder = if is_build_file { path.parent().unwrap_or(&path).to_owned() } else { path };
    if platform_in(&folder).is_none() {
        return Err(no_build_file(named, &folder));
    }
    of_folder(named, &folder, choice, time_limit)
}

/// As git takes it: with a scheme, or `user@host:path`.
fn is_url(named: &str) -> bool {
    let scp = named.split_once(':').is_some_and(|(host, path)| {
        !host.is_empty() && !host.starts_with('-') && !host.contains('/') && !path.is_empty()
    });
    named.contains("://") || scp
}

fn no_build_file(named: &str, folder: &Path) -> Refusal {
    let built = other_tool(folder).map(|(file, tool)| format!("; its {file} is for {tool}")).unwrap_or_default();
    Refusal {
        message: format!("there is no {} in {named}{built}", main_file()),
        help: format!("parade supports projects of {}, and model suites in TOML files", supported()),
    }
}

fn of_model(named: &str, path: PathBuf, choice: &Choice<'_>, time_limit: Duration) -> Result<Subject, Refusal> {
    if choice.revision.is_some() || !choice.modules.is_empty() {
        return Err(Refusal {
            message: "a model suite has neither revisions nor modules to choose".to_owned(),
            help: "leave --revision and --module out".to_owned(),
        });
    }
    Ok(subject(named, Origin::Model { path }, time_limit))
}

fn of_repository(url: &str, choice: &Choice<'_>, time_limit: Duration) -> Subject {
    let revision = choice.revision.unwrap_or("HEAD").to_owned();
    let origin = Origin::Git { url: url.to_owned(), revision };
    Subject { modules: choice.modules.to_vec(), ..subject(url, origin, time_limit) }
}

fn of_folder(named: &str, folder: &Path, choice: &Choice<'_>, time_limit: Duration) -> Result<Subject, Refusal> {
    let platform = platform_in(folder).ok_or_else(|| no_build_file(named, folder))?;
    let BuildLayout { tree, root, modules } = platform.layout(folder, choice.modules)?;
    let (origin, top) = match choice.revision {
        None => (Origin::Folder { path: tree.clone() }, tree),
        Some(revision) => repository_around(named, folder, revision)?,
    };
    let directory = root.strip_prefix(&top).ok().filter(|below| !below.as_os_str().is_empty());
    let name = folder.file_name().map_or_else(|| named.to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(Subject { directory: directory.map(Path::to_owned), modules, ..subject(&name, origin, time_limit) })
}

/// The repository that a folder lies in.
fn repository_around(named: &str, folder: &Path, revision: &str) -> Result<(Origin, PathBuf), Refusal> {
    let refusal = |message: String| Refusal {
        message,
        help: "leave --revision out to run the current files of the folder".to_owned(),
    };
    let repository = git2::Repository::discover(folder)
        .map_err(|error| refusal(format!("{named} is not in a git repository: {}", error.message())))?;
    let top = repository.workdir().and_then(|top| top.canonicalize().ok());
    let top = top.ok_or_else(|| refusal(format!("the git repository of {named} has no files")))?;
    let url = top.to_str().ok_or_else(|| refusal(format!("the path of {named} is not UTF-8")))?.to_owned();
    Ok((Origin::Git { url, revision: revision.to_owned() }, top))
}

/// The same project at another revision. Its builds are kept apart from those of the project itself.
pub fn earlier(named: &str, subject: &Subject, modules: &[String], revision: &str) -> Result<Subject, Refusal> {
    let pinned = relative(named, revision);
    let choice = Choice { revision: Some(pinned.as_deref().unwrap_or(revision)), modules };
    let earlier = locate(named, &choice, subject.timeout).map_err(|refusal| Refusal {
        help: "an earlier version can only come from a git repository".to_owned(),
        ..refusal
    })?;
    Ok(Subject {
        name: format!("{}-since", subject.name),
        jdk: subject.jdk.clone(),
        maven: subject.maven.clone(),
        tools: subject.tools.clone(),
        maven_args: subject.maven_args.clone(),
        environment: subject.environment.clone(),
        ..earlier
    })
}

/// The commit that is meant by a way from another one, as `HEAD~3`, where the repository is at hand.
fn relative(named: &str, revision: &str) -> Option<String> {
    let is_a_way = revision == "HEAD" || revision.contains(['~', '^', '@']);
    let repository = is_a_way.then(|| git2::Repository::discover(named).ok()).flatten()?;
    let commit = repository.revparse_single(revision).ok()?.peel_to_commit().ok()?;
    Some(commit.id().to_string())
}

/// Refuses what no revision of a repository that is at hand is called. A repository elsewhere is asked once it is fetched.
pub fn refuse_unknown(named: &str, revision: &str) -> Result<(), Refusal> {
    let Ok(repository) = git2::Repository::discover(named) else { return Ok(()) };
    let remote = format!("refs/remotes/origin/{revision}");
    let is_known = [revision, remote.as_str()].iter().any(|name| repository.revparse_single(name).is_ok());
    // A full hash can still be fetched.
    let is_hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_known || is_hash {
        return Ok(());
    }
    Err(Refusal {
        message: format!("--since: the repository of {named} has no revision `{revision}`"),
        help: "give a commit, a tag or a branch; `git log --oneline` lists commits".to_owned(),
    })
}

/// The top of the repository that a folder lies in.
pub(super) fn top_of(folder: &Path) -> miette::Result<PathBuf> {
    let repository = git2::Repository::discover(folder)
        .map_err(|error| miette::miette!("{} is not in a git repository: {}", folder.display(), error.message()))?;
    let top = repository.workdir().and_then(|top| top.canonicalize().ok());
    top.ok_or_else(|| miette::miette!("the git repository of {} has no files", folder.display()))
}

/// Everything as it is by default.
fn subject(named: &str, origin: Origin, timeout: Duration) -> Subject {
    let plain = without_parameters(named);
    let last = plain.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next().unwrap_or_default();
    Subject {
        name: format!("test-{}", safe_name(last)),
        source: redact(named),
        origin,
        directory: None,
        modules: Vec::new(),
        maven_args: Vec::new(),
        environment: BTreeMap::new(),
        phase: "test".to_owned(),
        setup: Vec::new(),
        surefire: SurefireVersion::Pinned,
        disable_plugins: Vec::new(),
        timeout,
        repetitions: 1,
        configurations: Vec::new(),
        dependencies: None,
        jdk: None,
        maven: None,
        tools: BTreeMap::new(),
        user: None,
        overrides: BTreeMap::new(),
        label: None,
        inferred: None,
        generator: None,
        earlier: None,
        version: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const LIMIT: Duration = Duration::from_secs(60);

    fn locate_in(root: &Path, path: &str, choice: &Choice<'_>) -> Result<Subject, Refusal> {
        locate(&root.join(path).to_string_lossy(), choice, LIMIT)
    }

    fn project() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let modules = "<project><modules><module>core</module><module>web</module></modules></project>";
        fs::create_dir_all(root.join("core")).unwrap();
        fs::create_dir_all(root.join("web")).unwrap();
        fs::write(root.join("pom.xml"), modules).unwrap();
        fs::write(root.join("core/pom.xml"), "<project/>").unwrap();
        fs::write(root.join("web/pom.xml"), "<project/>").unwrap();
        (folder, root)
    }

    #[test]
    fn a_revision_is_taken_from_the_repository_around() {
        let (_folder, root) = project();
        let choice = Choice { revision: Some("v1"), ..Choice::default() };
        assert!(locate_in(&root, "core", &choice).unwrap_err().message.contains("not in a git repository"));
        git2::Repository::init(&root).unwrap();
        fs::rename(root.join("pom.xml"), root.join("other.xml")).unwrap();
        let subject = locate_in(&root, "core", &choice).unwrap();
        assert_eq!(subject.directory.as_deref(), Some(Path::new("core")));
        assert!(matches!(&subject.origin, Origin::Git { url, revision } if Path::new(url) == root && revision == "v1"));
    }

    #[test]
    fn urls_are_repositories_and_the_rest_is_refused_with_a_reason() {
        for url in ["https://example.org/team/lib.git", "git@example.org:team/lib.git"] {
            let subject = locate(url, &Choice::default(), LIMIT).unwrap();
            assert_eq!(subject.name, "test-lib");
            assert!(matches!(&subject.origin, Origin::Git { revision, .. } if revision == "HEAD"));
        }
        let (_folder, root) = project();
        fs::create_dir(root.join("gradle")).unwrap();
        fs::write(root.join("gradle/build.gradle"), "").unwrap();
        let refused = locate_in(&root, "gradle", &Choice::default()).unwrap_err();
        assert!(refused.message.contains("Gradle") && refused.help.contains("Maven"), "{refused:?}");
        assert!(locate_in(&root, "nowhere", &Choice::default()).is_err());
    }
}
