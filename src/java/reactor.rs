//! Which build a folder belongs to: a module is built by the topmost pom that lists it, with the parents that it names by
//! path. Poms are read for their modules and parents, nothing else; what Maven makes of them is Maven's business.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::project::Refusal;
use crate::toml_file::names::suggestion;

const POM: &str = "pom.xml";
const POM_LIMIT: u64 = 8 << 20;
/// A reactor with more modules is searched no further.
const MODULES: usize = 5_000;
/// More folders up than anyone nests projects.
const LEVELS: usize = 32;

/// The build around a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reactor {
    /// What has to be copied: the build's root, and the parents of it that are named by path.
    pub tree: PathBuf,
    /// Where Maven is started.
    pub root: PathBuf,
    /// The folder's own modules below the root, itself first; empty where it is the root.
    pub modules: Vec<PathBuf>,
}

/// The reactor of a folder that has a pom. The folder's path has to be absolute and without links.
pub fn around(folder: &Path) -> Reactor {
    let mut root = folder.to_owned();
    for above in folder.ancestors().skip(1).take(LEVELS) {
        if above.join(POM).is_file() && modules_below(above).contains(&root) {
            root = above.to_owned();
        }
    }
    let modules = if root == folder { Vec::new() } else { own_modules(folder, &root) };
    let tree = highest_parent(&root);
    Reactor { tree, root, modules }
}

/// The modules that can be chosen below the root of a build, as paths from there, those of profiles too.
pub fn listed_modules(root: &Path) -> BTreeSet<PathBuf> {
    let all = modules_in(root, |pom| pom.modules.into_iter().chain(pom.profile_modules).collect());
    all.iter().filter_map(|module| module.strip_prefix(root).ok().map(Path::to_owned)).collect()
}

/// The folder and the modules that it lists, as paths below the root.
fn own_modules(folder: &Path, root: &Path) -> Vec<PathBuf> {
    let all = std::iter::once(folder.to_owned()).chain(modules_below(folder));
    all.filter_map(|module| module.strip_prefix(root).ok().map(Path::to_owned)).collect()
}

/// The folders of all modules that a pom lists, those of its modules too.
fn modules_below(folder: &Path) -> BTreeSet<PathBuf> {
    modules_in(folder, |pom| pom.modules)
}

fn modules_in(folder: &Path, of_pom: fn(Pom) -> Vec<String>) -> BTreeSet<PathBuf> {
    let (mut found, mut open) = (BTreeSet::new(), vec![folder.join(POM)]);
    while let Some(pom) = open.pop() {
        let Some(base) = pom.parent() else { continue };
        for module in of_pom(read(&pom)) {
            let path = normal(&base.join(&module));
            let pom = if path.is_dir() { path.join(POM) } else { path };
            let Some(folder) = pom.parent().filter(|_| pom.is_file()) else { continue };
            if found.len() < MODULES && found.insert(folder.to_owned()) {
                open.push(pom);
            }
        }
    }
    found
}

/// The folder that holds the root's pom and all parents that are found by path.
fn highest_parent(root: &Path) -> PathBuf {
    let (mut tree, mut pom, mut seen) = (root.to_owned(), root.join(POM), HashSet::new());
    while let (Some(parent), Some(base)) = (read(&pom).parent, pom.parent()) {
        let path = normal(&base.join(parent));
        let next = if path.is_dir() { path.join(POM) } else { path };
        let Some(folder) = next.parent().filter(|_| next.is_file() && seen.len() < LEVELS) else { break };
        // A pom that lies elsewhere altogether cannot be copied along.
        if !tree.starts_with(folder) && !folder.starts_with(&tree) {
            break;
        }
        if tree.starts_with(folder) {
            tree = folder.to_owned();
        }
        if !seen.insert(next.clone()) {
            break;
        }
        pom = next;
    }
    tree
}

/// Without `.` and `..`, and without asking the file system.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

/// What a pom says of other poms.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pom {
    modules: Vec<String>,
    /// Those of its profiles, which may be active or not.
    profile_modules: Vec<String>,
    /// Where its parent is said to be; `None` where it has none, or one that is not to be looked for here.
    parent: Option<String>,
}

/// A pom that cannot be read says nothing here; Maven will say what is wrong with it.
fn read(path: &Path) -> Pom {
    let Ok(file) = File::open(path) else { return Pom::default() };
    let mut reader = Reader::from_reader(BufReader::new(file.take(POM_LIMIT)));
    let (mut pom, mut place, mut buffer) = (Pom::default(), Vec::new(), Vec::new());
    while let Ok(event) = reader.read_event_into(&mut buffer) {
        match event {
            Event::Start(tag) => {
                place.push(tag.local_name().as_ref().to_owned());
                pom.enter(&place);
            }
            Event::Empty(tag) => {
                place.push(tag.local_name().as_ref().to_owned());
                pom.enter(&place);
                place.pop();
            }
            Event::Text(text) => pom.take(&place, text.trim()),
            Event::End(_) => drop(place.pop()),
            Event::Eof => break,
            _ => {}
        }
        buffer.clear();
    }
    pom
}

impl Pom {
    fn enter(&mut self, place: &[String]) {
        match path_of(place).as_slice() {
            ["project", "parent"] => self.parent = Some("../pom.xml".to_owned()),
            // Left empty it means: look in repositories only.
            ["project", "parent", "relativePath"] => self.parent = None,
            _ => {}
        }
    }

    fn take(&mut self, place: &[String], text: &str) {
        match path_of(place).as_slice() {
            _ if text.is_empty() => {}
            ["project", "modules", "module"] | ["project", "subprojects", "subproject"] => {
                self.modules.push(text.to_owned());
            }
            ["project", "profiles", "profile", "modules", "module"]
            | ["project", "profiles", "profile", "subprojects", "subproject"] => {
                self.profile_modules.push(text.to_owned());
            }
            ["project", "parent", "relativePath"] => self.parent = Some(text.to_owned()),
            _ => {}
        }
    }
}

fn path_of(place: &[String]) -> Vec<&str> {
    place.iter().map(String::as_str).collect()
}

/// As Maven's `-pl` takes them, from the reactor's root on.
pub fn chosen_modules(folder: &Path, reactor: &Reactor, wanted: &[String]) -> Result<Vec<String>, Refusal> {
    if wanted.is_empty() {
        return Ok(reactor.modules.iter().map(|module| module.to_string_lossy().into_owned()).collect());
    }
    let below = folder.strip_prefix(&reactor.root).unwrap_or(Path::new(""));
    wanted.iter().map(|module| chosen_module(module, folder, below)).collect()
}

fn chosen_module(module: &str, folder: &Path, below: &Path) -> Result<String, Refusal> {
    if module.starts_with(':') && module.len() > 1 && !module.contains(',') {
        return Ok(module.to_owned());
    }
    let is_plain = |part| matches!(part, std::path::Component::Normal(_));
    let plain = !module.is_empty()
        && !module.starts_with(['-', '!', '+', '?'])
        && !module.contains([',', ':'])
        && Path::new(module).components().all(is_plain);
    if !plain || !folder.join(module).exists() {
        let known: Vec<String> =
            listed_modules(folder).iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let modules = match known.is_empty() {
            true => "it has no modules".to_owned(),
            false => suggestion(module, "its modules", known.iter().map(String::as_str)),
        };
        return Err(Refusal {
            message: format!("there is no module `{module}` in {}", folder.display()),
            help: format!("{modules}; give a path below the project, such as web/api, or a name, such as :api"),
        });
    }
    Ok(below.join(module).to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("<project>{content}</project>")).unwrap();
        }
        (folder, root)
    }

    fn lists(modules: &[&str]) -> String {
        let modules: String = modules.iter().map(|module| format!("<module> {module} </module>")).collect();
        format!("<modules>{modules}</modules>")
    }

    #[test]
    fn a_module_belongs_to_the_topmost_pom_that_lists_it() {
        let (_folder, root) = project(&[
            ("pom.xml", &lists(&["web", "core/lib", "../outside"])),
            ("web/pom.xml", &lists(&["api", "gone"])),
            ("web/api/pom.xml", ""),
            ("core/lib/pom.xml", ""),
            ("stranger/pom.xml", ""),
        ]);
        let at = |path: &str| around(&root.join(path));
        let in_root = |modules: &[&str]| Reactor {
            tree: root.clone(),
            root: root.clone(),
            modules: modules.iter().map(PathBuf::from).collect(),
        };
        assert_eq!(at("web/api"), in_root(&["web/api"]));
        assert_eq!(at("core/lib"), in_root(&["core/lib"]));
        assert_eq!(at("web"), in_root(&["web", "web/api"]));
        assert_eq!(around(&root), in_root(&[]));
        let stranger = root.join("stranger");
        assert_eq!(at("stranger"), Reactor { tree: stranger.clone(), root: stranger, modules: vec![] });
    }

    #[test]
    fn parents_that_are_named_by_path_are_copied_too() {
        let parent = "<parent><artifactId>p</artifactId></parent>";
        let (_folder, root) = project(&[
            ("pom.xml", ""),
            ("build/parent/pom.xml", parent),
            ("build/pom.xml", parent),
            ("app/pom.xml", "<parent><relativePath>../build/parent</relativePath></parent>"),
            ("near/pom.xml", parent),
            ("far/pom.xml", "<parent><relativePath/></parent>"),
        ]);
        assert_eq!(around(&root.join("near")).tree, root);
        assert_eq!(around(&root.join("near")).root, root.join("near"));
        assert_eq!(around(&root.join("far")).tree, root.join("far"));
        assert_eq!(around(&root.join("build/parent")).tree, root);
    }

    #[test]
    fn a_module_that_is_not_there_is_answered_with_those_that_are() {
        let (_folder, root) = project(&[
            ("pom.xml", &lists(&["core", "web"])),
            ("core/pom.xml", "<project/>"),
            ("web/pom.xml", "<project/>"),
        ]);
        let refused = chosen_modules(&root, &around(&root), &["cor".to_owned()]).unwrap_err();
        assert!(refused.help.starts_with("did you mean `core`? its modules: "), "{}", refused.help);
        assert!(refused.help.contains("web"), "{}", refused.help);
    }

    #[test]
    fn poms_that_are_no_poms_and_poms_in_a_circle_do_no_harm() {
        let (_folder, root) = project(&[
            ("a/pom.xml", &format!("<parent><relativePath>../b</relativePath></parent>{}", lists(&["../b"]))),
            ("b/pom.xml", &format!("<parent><relativePath>../a</relativePath></parent>{}", lists(&["../a"]))),
        ]);
        assert_eq!(around(&root.join("a")).root, root.join("a"));
        fs::write(root.join("pom.xml"), "<project><modules><module>a</mod").unwrap();
        around(&root.join("a"));
        fs::write(root.join("pom.xml"), [0xff, 0xfe, b'<']).unwrap();
        assert_eq!(around(&root.join("a")).root, root.join("a"));
    }
}
