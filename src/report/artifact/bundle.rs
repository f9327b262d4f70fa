//! The experiment file of an artifact, and beside it every subject that the file names by path, so that the experiment runs
//! from the artifact alone. What is bundled is what was run: content that has changed since is refused.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use miette::miette;

use super::edits::{Edits, KeyPosition, Table};
use super::links;
use crate::store::record::{RunData, SubjectRecord};
use crate::subject;

/// The name of the experiment file in an artifact.
pub(super) const FULL: &str = "full.toml";
pub(super) const SHORT: &str = "short.toml";

/// What became of the experiment file.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    pub text: String,
    /// The folder of the file below the one that holds everything: so deep that what it names by `..` is inside, too.
    pub below: PathBuf,
    /// Subjects that are fetched from elsewhere, with their addresses.
    pub remote: Vec<String>,
    /// What was copied, relative to the folder that holds everything.
    pub bundled: Vec<String>,
    /// What differs from the file that was run, a sentence each.
    pub notes: Vec<String>,
}

impl Bundle {
    /// Of the experiment file, seen from the artifact's own.
    pub fn folder(&self) -> PathBuf {
        // Joining nothing would add a slash.
        Path::new("experiment").components().chain(self.below.components()).collect()
    }
}

/// Where the experiment file came from, and where the new one goes.
pub(super) struct Places<'a> {
    /// The folder of the original; a run of an older parade, or a merged one, does not know it.
    pub from: Option<PathBuf>,
    /// The folder that holds everything.
    pub to: &'a Path,
}

/// The name of folders that are there for depth alone.
const HERE: &str = "here";
/// A file that names what lies further above has that moved instead.
const DEEPEST: usize = 4;
/// The keys of a subject that can hold a path.
const PATH_KEYS: [&str; 4] = ["git", "path", "model", "dependencies"];

/// Copies what the file names by path, and changes it where that lies elsewhere now.
pub(super) fn bundle(run: &RunData, text: &str, places: &Places<'_>) -> miette::Result<Bundle> {
    let edits = Edits::of(text);
    let names = subject_names(text)?;
    let below = std::iter::repeat_n(HERE, depth(&edits, &names)?).collect();
    let bundle = Bundle { below, notes: left_out(run, &names).into_iter().collect(), ..Bundle::default() };
    let mut bundling = Bundling { run, places, edits, copied: BTreeSet::new(), bundle };
    for name in &names {
        bundling.subject(name)?;
    }
    bundling.jdk(Table::Single("machine"), run.subjects.iter().find_map(|record| record.jdk.as_deref()))?;
    Ok(Bundle { text: bundling.edits.applied(), ..bundling.bundle })
}

/// The text of an experiment file with everything rewritten but what it names by path: that must still be found there.
pub(super) fn rewritten(text: &str, rewrite: &dyn Fn(&str) -> String) -> miette::Result<String> {
    let edits = Edits::of(text);
    let mut kept = Vec::new();
    for name in subject_names(text)? {
        for key in PATH_KEYS {
            kept.extend(edits.find(Table::Named("subject", &name), key)?.map(|place| place.value_range()));
        }
    }
    kept.sort_by_key(|range| range.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in kept {
        out += &rewrite(&text[at..range.start]);
        out += &text[range.clone()];
        at = range.end;
    }
    Ok(out + &rewrite(&text[at..]))
}

fn subject_names(text: &str) -> miette::Result<Vec<String>> {
    let file: toml::Table = text.parse().map_err(|error| miette!("experiment.toml is damaged: {error}"))?;
    let subjects = file.get("subject").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    Ok(subjects.iter().filter_map(|subject| Some(subject.get("name")?.as_str()?.to_owned())).collect())
}

/// How far up the paths of the file lead.
fn depth(edits: &Edits<'_>, names: &[String]) -> miette::Result<usize> {
    let mut deepest = 0;
    for name in names {
        for key in PATH_KEYS {
            let place = edits.find(Table::Named("subject", name), key)?;
            let local = place.filter(|place| key != "git" || subject::is_local_address(&place.value));
            let ups = local.map_or(0, |place| ups(Path::new(&place.value)));
            deepest = deepest.max(if ups <= DEEPEST { ups } else { 0 });
        }
    }
    Ok(deepest)
}

/// How many folders a relative path leaves on its way.
fn ups(path: &Path) -> usize {
    let (mut inside, mut ups) = (0_usize, 0);
    for part in path.components() {
        match part {
            Component::ParentDir if inside == 0 => ups += 1,
            Component::ParentDir => inside -= 1,
            Component::Normal(_) => inside += 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return 0,
        }
    }
    ups
}

/// Where a relative path leads from a folder, if it stays below the top.
fn resolved(from: &Path, written: &Path) -> Option<PathBuf> {
    let mut at = from.to_owned();
    for part in written.components() {
        match part {
            Component::ParentDir => at.pop().then_some(())?,
            Component::Normal(name) => at.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(at)
}

/// A run may have only a part of its experiment.
fn left_out(run: &RunData, names: &[String]) -> Option<String> {
    let missing: Vec<&str> =
        names.iter().filter(|name| !run.manifest.subjects.contains(name)).map(String::as_str).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "The run contains {} of the {} subjects of its file. ./run-full runs all of them; ./run-full --only \
             subject=NAME runs one. Not in the run: {}.",
            names.len() - missing.len(),
            names.len(),
            missing.join(", ")
        )
    })
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
                    self.file(name, &place, &format!("bundled/{name}.model.toml"), own)?;
                }
            }
        }
        if let Some(place) = self.edits.find(table, "dependencies")? {
            self.file(name, &place, &format!("bundled/{name}.dependencies.toml"), dependencies)?;
        }
        self.jdk(table, record.and_then(|record| record.jdk.as_deref()))
    }

    /// One that is fetched stays as it is; one on this machine becomes a folder with the commit's files.
    fn repository(
        &mut self,
        name: &str,
        place: &KeyPosition,
        commit: &KeyPosition,
        record: Option<&SubjectRecord>,
    ) -> miette::Result<()> {
        if !subject::is_local_address(&place.value) {
            self.bundle.remote.push(place.value.clone());
            return Ok(());
        }
        let original = self.original(name, place)?;
        let from = subject::local_repository(&original.to_string_lossy()).unwrap_or(original);
        let revision = record.and_then(|record| record.revision.clone()).unwrap_or_else(|| commit.value.clone());
        let to = format!("bundled/{name}");
        subject::export_commit(&from, &revision, &self.places.to.join(&to))?;
        self.leave_links_out(name, Path::new(&to))?;
        self.edits.rename(place, "path", &self.seen_from_the_file(&to));
        self.edits.drop(commit);
        self.bundle.notes.push(format!(
            "{name} was a repository on the authors' machine; its files at commit {revision} are in experiment/{to}."
        ));
        self.bundle.bundled.push(to);
        Ok(())
    }

    fn folder(&mut self, name: &str, place: &KeyPosition, expected: Option<&str>) -> miette::Result<()> {
        let from = self.original(name, place)?;
        let to = self.place_for(place, &format!("bundled/{name}"));
        if self.copied.insert(to.clone()) {
            let found = subject::copy_folder(&from, &self.places.to.join(&to))?;
            check_content(name, &from, expected, &found)?;
            self.leave_links_out(name, &to)?;
        }
        self.moved(name, place, &to);
        Ok(())
    }

    /// Links that lead out of the folder would lead elsewhere, or tell of this machine.
    fn leave_links_out(&mut self, name: &str, to: &Path) -> miette::Result<()> {
        const NAMED: usize = 5;
        let left_out = links::remove_leading_out(&self.places.to.join(to))?;
        if left_out.is_empty() {
            return Ok(());
        }
        let named: Vec<_> = left_out.iter().take(NAMED).map(|link| link.to_string_lossy()).collect();
        let more = left_out.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.bundle.notes.push(format!(
            "{name} had links to files outside of its folder. They are left out: {}{more}.",
            named.join(", ")
        ));
        Ok(())
    }

    fn file(&mut self, name: &str, place: &KeyPosition, elsewhere: &str, expected: Option<&str>) -> miette::Result<()> {
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

    fn original(&self, name: &str, place: &KeyPosition) -> miette::Result<PathBuf> {
        if place.value.starts_with("file://") {
            return Ok(PathBuf::from(&place.value));
        }
        let absolute = Path::new(&place.value).is_absolute().then(PathBuf::new);
        let folder = self.places.from.clone().or(absolute).ok_or_else(|| {
            miette!(
                help = "give the experiment file with --experiment FILE; relative paths start at its folder",
                "the run does not record where its experiment file was, and subject `{name}` is at {} relative to it",
                place.value.escape_debug()
            )
        })?;
        let path = folder.join(&place.value);
        if path.exists() {
            return Ok(path);
        }
        Err(miette!(
            help = "give the experiment file on this machine with --experiment FILE; relative paths start at its \
                folder",
            "subject `{name}` no longer exists: {}",
            path.display()
        ))
    }

    /// At the same place if that stays inside and is free, so that the file, and with it the identity of trials, is the same.
    fn place_for(&self, place: &KeyPosition, elsewhere: &str) -> PathBuf {
        let below = &self.bundle.below;
        let is_free = |to: &PathBuf| {
            let is_ours = [FULL, SHORT].iter().any(|ours| to.starts_with(below.join(ours)));
            let holds_the_file = below.starts_with(to);
            !is_ours && !holds_the_file
        };
        resolved(below, Path::new(&place.value)).filter(is_free).unwrap_or_else(|| PathBuf::from(elsewhere))
    }

    fn seen_from_the_file(&self, to: &str) -> String {
        format!("{}{to}", "../".repeat(self.bundle.below.components().count()))
    }

    fn moved(&mut self, name: &str, place: &KeyPosition, to: &Path) {
        let text = to.to_string_lossy().into_owned();
        if resolved(&self.bundle.below, Path::new(&place.value)).as_deref() != Some(to) {
            self.edits.replace(place, &self.seen_from_the_file(&text));
            let note = format!(
                "{name} was outside of the experiment's folder. It is now in experiment/{text}, so the ids of its trials differ."
            );
            self.bundle.notes.push(note);
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
                self.bundle.notes.push(format!(
                    "The experiment named a JDK by its folder. The artifact requests it by its version, \
                        {major}."
                ));
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
            help = "restore the subject as it was in the run, or run the experiment again",
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
    use crate::subject::test_repository::TestRepository;

    const FILE: &str = "
[[subject]]
name = 'inside'
model = 'suite.toml'
[[subject]]
name = 'beside'
path = '../project'   # kept as it is
[[subject]]
name = 'remote'
git = 'https://example.org/x/y'
commit = 'abc'
jdk = '/opt/jdk-8'
[[subject]]
name = 'ours'
model = 'full.toml'
[[subject]]
name = 'absolute'
path = '@/project'
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
        let text = FILE.replace('@', dir.to_str().unwrap());
        bundle(run, &text, &Places { from: from.then(|| dir.join("lab")), to: &out })
    }

    #[test]
    fn what_is_named_by_path_lies_where_the_file_looks_for_it() {
        let dir = laid_out();
        let bundle = bundled(&run(), dir.path(), true).unwrap();
        assert_eq!(bundle.below, Path::new("here"));
        assert_eq!(bundle.bundled, ["here/suite.toml", "project", "bundled/ours.model.toml", "bundled/absolute"]);
        assert_eq!(bundle.remote, ["https://example.org/x/y"]);
        let files = crate::folders::files(&dir.path().join("out")).unwrap();
        let expected = [
            "bundled/absolute/pom.xml",
            "bundled/absolute/src/T",
            "bundled/ours.model.toml",
            "here/suite.toml",
            "project/pom.xml",
            "project/src/T",
        ];
        assert_eq!(files, expected.map(PathBuf::from));
        let expected = FILE
            .replace("'full.toml'", "\"../bundled/ours.model.toml\"")
            .replace("'@/project'", "\"../bundled/absolute\"")
            .replace("'/opt/jdk-8'", "\"8\"");
        assert_eq!(bundle.text, expected);
    }

    #[test]
    fn what_would_hold_the_file_itself_is_moved() {
        let dir = laid_out();
        let text = "[[subject]]\nname = 'all'\npath = '..'\n";
        let out = tempfile::tempdir().unwrap();
        let places = Places { from: Some(dir.path().join("lab")), to: out.path() };
        let bundle = bundle(&run(), text, &places).unwrap();
        assert_eq!(bundle.text, text.replace("'..'", "\"../bundled/all\""));
        assert!(out.path().join("bundled/all/lab/suite.toml").is_file());
    }

    #[test]
    fn paths_lead_as_far_up_as_they_do() {
        for (path, expected) in
            [("a/../b", 0), ("../x", 1), ("a/../../x", 1), ("../../x/..", 2), ("/x/../..", 0), (".", 0)]
        {
            assert_eq!(ups(Path::new(path)), expected, "{path}");
        }
        assert_eq!(resolved(Path::new("here"), Path::new("../x/./y")), Some(PathBuf::from("x/y")));
        assert_eq!(resolved(Path::new("here"), Path::new("../../x")), None);
    }

    #[test]
    fn what_has_changed_or_cannot_be_found_is_refused() {
        let dir = laid_out();
        assert!(format!("{:?}", bundled(&run(), dir.path(), false).unwrap_err()).contains("--experiment"));
        let mut changed = run();
        changed.manifest.contents.insert("beside".to_owned(), "content-of-old".to_owned());
        let error = bundled(&changed, dir.path(), true).unwrap_err().to_string();
        assert!(error.contains("`beside` has changed since the run"), "{error}");
        std::fs::remove_file(dir.path().join("lab/suite.toml")).unwrap();
        let error = bundled(&run(), dir.path(), true).unwrap_err().to_string();
        assert!(error.contains("`inside` no longer exists"), "{error}");
    }

    #[test]
    fn a_repository_on_this_machine_becomes_the_files_of_its_commit() {
        let repository = TestRepository::create();
        let commit = repository.commit(&[("pom.xml", "<project/>")]);
        std::fs::write(repository.path().join("pom.xml"), "changed since").unwrap();
        let dir = &repository.folder;
        let text = format!("[[subject]]\nname = 'local'\ngit = 'origin'\ncommit = '{commit}'\n");
        let out = dir.path().join("out");
        let bundle = bundle(&run(), &text, &Places { from: Some(dir.path().to_owned()), to: &out }).unwrap();
        assert_eq!(
            bundle.text,
            format!("[[subject]]\nname = 'local'\npath = \"bundled/local\"\n# commit = '{commit}'\n")
        );
        assert_eq!(std::fs::read_to_string(out.join("bundled/local/pom.xml")).unwrap(), "<project/>");
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
