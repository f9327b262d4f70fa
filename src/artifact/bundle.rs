//! The experiment file of an artifact, and beside it every subject that the file names by path, so that the experiment runs
//! from the artifact alone. What is bundled is what was run: content that has changed since is refused.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use miette::miette;

use super::edits::{Edits, Place, Table};
use crate::store::record::{RunData, SubjectRecord};
use crate::subject;

/// The name of the experiment file in an artifact.
pub(super) const FULL: &str = "full.toml";
pub(super) const SHORT: &str = "short.toml";

/// What became of the experiment file.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    pub text: String,
    /// Subjects that are fetched from elsewhere, with their addresses.
    pub remote: Vec<String>,
    /// What was copied, relative to the file.
    pub bundled: Vec<String>,
    /// What differs from the file that was run, a sentence each.
    pub notes: Vec<String>,
}

/// Where the experiment file came from, and where the new one goes.
pub(super) struct Places<'a> {
    /// The folder of the original; a run of an older parade, or a merged one, does not know it.
    pub from: Option<PathBuf>,
    pub to: &'a Path,
}

/// Copies what the file names by path, and changes it where that lies elsewhere now.
pub(super) fn bundle(run: &RunData, text: &str, places: &Places<'_>) -> miette::Result<Bundle> {
    let mut bundling =
        Bundling { run, places, edits: Edits::of(text), copied: BTreeSet::new(), bundle: Bundle::default() };
    for name in subject_names(text)? {
        bundling.subject(&name)?;
    }
    bundling.jdk(Table::Single("machine"), run.subjects.iter().find_map(|record| record.jdk.as_deref()))?;
    Ok(Bundle { text: bundling.edits.applied(), ..bundling.bundle })
}

fn subject_names(text: &str) -> miette::Result<Vec<String>> {
    let file: toml::Table = text.parse().map_err(|error| miette!("experiment.toml is damaged: {error}"))?;
    let subjects = file.get("subject").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    Ok(subjects.iter().filter_map(|subject| Some(subject.get("name")?.as_str()?.to_owned())).collect())
}

struct Bundling<'a> {
    run: &'a RunData,
    places: &'a Places<'a>,
    edits: Edits<'a>,
    copied: BTreeSet<PathBuf>,
    bundle: Bundle,
}

impl Bundling<'_> {
    fn subject(&mut self, name: &str) -> miette::Result<()> {
        let table = Table::Named("subject", name);
        let record = self.run.subjects.iter().find(|record| record.subject == name);
        let contents = self.run.manifest.contents.get(name).map(String::as_str).unwrap_or_default();
        let (own, dependencies) = split_contents(contents, self.edits.find(table, "dependencies")?.is_some());
        let (git, path) = (self.edits.find(table, "git")?, self.edits.find(table, "path")?);
        match (git.or(path.clone()), self.edits.find(table, "commit")?) {
            (Some(place), Some(commit)) => self.repository(name, &place, &commit, record)?,
            (Some(place), None) if path.is_some() => self.folder(name, &place, own)?,
            _ => {
                if let Some(place) = self.edits.find(table, "model")? {
                    self.file(name, &place, &format!("models/{name}.toml"), own)?;
                }
            }
        }
        if let Some(place) = self.edits.find(table, "dependencies")? {
            self.file(name, &place, &format!("dependencies/{name}.toml"), dependencies)?;
        }
        self.jdk(table, record.and_then(|record| record.jdk.as_deref()))
    }

    /// One that is fetched stays as it is; one on this machine becomes a folder with the commit's files.
    fn repository(
        &mut self,
        name: &str,
        place: &Place,
        commit: &Place,
        record: Option<&SubjectRecord>,
    ) -> miette::Result<()> {
        if !subject::is_local_address(&place.value) {
            self.bundle.remote.push(place.value.clone());
            return Ok(());
        }
        let original = self.original(name, place)?;
        let from = subject::local_repository(&original.to_string_lossy()).unwrap_or(original);
        let revision = record.and_then(|record| record.revision.clone()).unwrap_or_else(|| commit.value.clone());
        let to = format!("subjects/{name}");
        subject::export_commit(&from, &revision, &self.places.to.join(&to))?;
        self.edits.rename(place, "path", &to);
        self.edits.drop(commit);
        self.bundle.notes.push(format!(
            "`{name}` was a repository on the authors' machine; its files at commit {revision} are bundled in {to}."
        ));
        self.bundle.bundled.push(to);
        Ok(())
    }

    fn folder(&mut self, name: &str, place: &Place, expected: Option<&str>) -> miette::Result<()> {
        let from = self.original(name, place)?;
        let to = self.place_for(place, &format!("subjects/{name}"));
        if self.copied.insert(to.clone()) {
            let found = subject::copy_folder(&from, &self.places.to.join(&to))?;
            check_content(name, &from, expected, &found)?;
        }
        self.moved(name, place, &to);
        Ok(())
    }

    fn file(&mut self, name: &str, place: &Place, elsewhere: &str, expected: Option<&str>) -> miette::Result<()> {
        let from = self.original(name, place)?;
        let found = subject::revision_of_file(&from)?;
        check_content(name, &from, expected, &found)?;
        let to = self.place_for(place, elsewhere);
        let target = self.places.to.join(&to);
        let failed = |error: std::io::Error| miette!("{} could not be copied: {error}", from.display());
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        std::fs::copy(&from, &target).map_err(failed)?;
        self.moved(name, place, &to);
        Ok(())
    }

    fn original(&self, name: &str, place: &Place) -> miette::Result<PathBuf> {
        if place.value.starts_with("file://") {
            return Ok(PathBuf::from(&place.value));
        }
        let absolute = Path::new(&place.value).is_absolute().then(PathBuf::new);
        let folder = self.places.from.clone().or(absolute).ok_or_else(|| {
            miette!(
                help = "name the experiment file with --experiment FILE: relative paths in it start there",
                "the run does not say where its experiment file lay, and subject `{name}` is at {} from there",
                place.value.escape_debug()
            )
        })?;
        let path = folder.join(&place.value);
        if path.exists() {
            return Ok(path);
        }
        Err(miette!(
            help = "name the experiment file on this machine with --experiment FILE: relative paths in it start there",
            "subject `{name}` is not there any more: {}",
            path.display()
        ))
    }

    /// At the same place if that stays inside and is free, so that the file, and with it the identity of trials, is the same.
    fn place_for(&self, place: &Place, elsewhere: &str) -> PathBuf {
        let written = Path::new(&place.value);
        let stays_inside = written.components().all(|part| matches!(part, Component::Normal(_)));
        let is_ours = [FULL, SHORT].iter().any(|ours| written.starts_with(ours));
        if stays_inside && !is_ours && !place.value.is_empty() { written.to_owned() } else { PathBuf::from(elsewhere) }
    }

    fn moved(&mut self, name: &str, place: &Place, to: &Path) {
        let text = to.to_string_lossy().into_owned();
        if Path::new(&place.value) != to {
            self.edits.replace(place, &text);
            self.bundle
                .notes
                .push(format!("`{name}` lay elsewhere; it is bundled in {text}, so the ids of its trials differ."));
        }
        if !self.bundle.bundled.contains(&text) {
            self.bundle.bundled.push(text);
        }
    }

    /// The folder of a JDK on one machine means nothing on another: its version does.
    fn jdk(&mut self, table: Table<'_>, version: Option<&str>) -> miette::Result<()> {
        let Some(place) = self.edits.find(table, "jdk")?.filter(|place| place.value.contains('/')) else {
            return Ok(());
        };
        match version.map(major_version) {
            Some(major) => {
                self.bundle
                    .notes
                    .push(format!("A JDK that was given by its folder is asked for by its version, {major}."));
                self.edits.replace(&place, &major);
            }
            None => self.edits.drop(&place),
        }
        Ok(())
    }
}

/// The manifest has the content of a subject and of its dependency file, in this order, each if there is one.
fn split_contents(contents: &str, has_dependencies: bool) -> (Option<&str>, Option<&str>) {
    let mut parts = contents.split_whitespace();
    let (first, second) = (parts.next(), parts.next());
    match (second, has_dependencies) {
        (Some(second), _) => (first, Some(second)),
        // A repository has no content of its own there.
        (None, true) => (None, first),
        (None, false) => (first, None),
    }
}

fn check_content(name: &str, path: &Path, expected: Option<&str>, found: &str) -> miette::Result<()> {
    match expected {
        Some(expected) if expected != found => Err(miette!(
            help = "bring it back to what was run, or run the experiment again",
            "subject `{name}` has changed since the run: {}",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// `8` of `1.8.0_462`, `17` of `17.0.2`.
fn major_version(version: &str) -> String {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    match (numbers.next(), numbers.next()) {
        (Some("1"), Some(second)) => second.to_owned(),
        (Some(first), _) => first.to_owned(),
        (None, _) => version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
[[subject]]
name = 'inside'
model = 'suite.toml'
[[subject]]
name = 'outside'
path = '../project'   # beside
[[subject]]
name = 'remote'
git = 'https://example.org/x/y'
commit = 'abc'
jdk = '/opt/jdk-8'
[[subject]]
name = 'ours'
model = 'full.toml'
";

    /// A folder with an experiment, and a project beside it that has been built.
    fn laid_out() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["lab", "project/target", "project/.git", "project/src", "out"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let files = [
            "lab/suite.toml",
            "lab/full.toml",
            "project/pom.xml",
            "project/target/x",
            "project/.git/config",
            "project/src/T",
        ];
        for file in files {
            std::fs::write(dir.path().join(file), file).unwrap();
        }
        dir
    }

    fn run() -> RunData {
        let mut run = crate::report::sample::study();
        run.subjects.truncate(1);
        run.subjects[0].subject = "remote".to_owned();
        run
    }

    fn bundled(run: &RunData, dir: &Path, from: bool) -> miette::Result<Bundle> {
        let out = dir.join("out");
        bundle(run, FILE, &Places { from: from.then(|| dir.join("lab")), to: &out })
    }

    #[test]
    fn what_is_named_by_path_lies_beside_the_file() {
        let dir = laid_out();
        let bundle = bundled(&run(), dir.path(), true).unwrap();
        assert_eq!(bundle.bundled, ["suite.toml", "subjects/outside", "models/ours.toml"]);
        assert_eq!(bundle.remote, ["https://example.org/x/y"]);
        let files = crate::folders::files(&dir.path().join("out")).unwrap();
        let expected = ["models/ours.toml", "subjects/outside/pom.xml", "subjects/outside/src/T", "suite.toml"];
        assert_eq!(files, expected.map(PathBuf::from));
        let expected = FILE
            .replace("'../project'", "\"subjects/outside\"")
            .replace("'full.toml'", "\"models/ours.toml\"")
            .replace("'/opt/jdk-8'", "\"8\"");
        assert_eq!(bundle.text, expected);
    }

    #[test]
    fn what_has_changed_or_cannot_be_found_is_refused() {
        let dir = laid_out();
        assert!(format!("{:?}", bundled(&run(), dir.path(), false).unwrap_err()).contains("--experiment"));
        let mut changed = run();
        changed.manifest.contents.insert("outside".to_owned(), "content-of-old".to_owned());
        let error = bundled(&changed, dir.path(), true).unwrap_err().to_string();
        assert!(error.contains("`outside` has changed since the run"), "{error}");
        std::fs::remove_file(dir.path().join("lab/suite.toml")).unwrap();
        let error = bundled(&run(), dir.path(), true).unwrap_err().to_string();
        assert!(error.contains("`inside` is not there any more"), "{error}");
    }

    #[test]
    fn a_repository_on_this_machine_becomes_the_files_of_its_commit() {
        let dir = tempfile::tempdir().unwrap();
        let repository = git2::Repository::init(dir.path().join("repo")).unwrap();
        std::fs::write(dir.path().join("repo/pom.xml"), "<project/>").unwrap();
        let mut index = repository.index().unwrap();
        index.add_path(Path::new("pom.xml")).unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let author = git2::Signature::now("Ada Lovelace", "ada@example.org").unwrap();
        let commit = repository.commit(Some("HEAD"), &author, &author, "first", &tree, &[]).unwrap();
        std::fs::write(dir.path().join("repo/pom.xml"), "changed since").unwrap();
        let text = format!("[[subject]]\nname = 'local'\ngit = 'repo'\ncommit = '{commit}'\n");
        let out = dir.path().join("out");
        let bundle = bundle(&run(), &text, &Places { from: Some(dir.path().to_owned()), to: &out }).unwrap();
        assert_eq!(
            bundle.text,
            format!("[[subject]]\nname = 'local'\npath = \"subjects/local\"\n# commit = '{commit}'\n")
        );
        assert_eq!(std::fs::read_to_string(out.join("subjects/local/pom.xml")).unwrap(), "<project/>");
        assert_eq!(crate::folders::files(&out).unwrap().len(), 1);
    }

    #[test]
    fn versions_are_asked_for_as_people_say_them() {
        assert_eq!(["1.8.0_462", "17.0.2", "21"].map(major_version), ["8", "17", "21"]);
    }

    #[test]
    fn contents_are_told_apart() {
        assert_eq!(split_contents("a b", true), (Some("a"), Some("b")));
        assert_eq!(split_contents("b", true), (None, Some("b")));
        assert_eq!(split_contents("a", false), (Some("a"), None));
        assert_eq!(split_contents("", false), (None, None));
    }
}
