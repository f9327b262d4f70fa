//! Subjects over HTTP, against a real git server on loopback that serves, refuses, hangs and drops.

mod server;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use git2::{Oid, Repository, Signature, Time};
use miette::Result;
use parade::home::Home;
use parade::spec::{Origin, Subject, SurefireVersion};
use parade::subject::{Network, Progress, Silent, Sources};
use server::{Mood, Server};
use tempfile::TempDir;

/// A home for parade, a folder of repositories to serve, a git configuration.
struct Lab {
    folder: TempDir,
    home: Home,
    patience: Duration,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("served")).unwrap();
        fs::write(folder.path().join("gitconfig"), "").unwrap();
        let home = Home::at(folder.path().join("home"));
        Lab { folder, home, patience: Duration::from_secs(60) }
    }

    fn served(&self) -> PathBuf {
        self.folder.path().join("served")
    }

    fn configure(&self, text: &str) {
        fs::write(self.folder.path().join("gitconfig"), text).unwrap();
    }

    fn network(&self) -> Network {
        let git_config = Some(self.folder.path().join("gitconfig"));
        Network { patience: self.patience, pause: Duration::from_millis(10), git_config, ..Network::default() }
    }

    fn sources<'a>(&'a self, progress: &'a dyn Progress) -> Sources<'a> {
        Sources { home: &self.home, network: self.network(), progress, interrupt: &|| false }
    }

    fn resolve(&self, url: &str, revision: &str) -> Result<String> {
        self.sources(&Silent).resolve(&origin(url, revision))
    }

    fn checkout(&self, url: &str, revision: &str) -> Result<PathBuf> {
        let pinned = self.resolve(url, revision)?;
        Ok(self.sources(&Silent).checkout(&subject(url, revision), &pinned)?.root)
    }

    /// Adds a commit with these files to a served repository, and makes the repository if need be.
    fn commit(&self, repository: &str, files: &[(&str, &[u8], i32)]) -> Oid {
        let path = self.served().join(repository);
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).initial_head("main").external_template(false);
        let git = Repository::open_bare(&path).or_else(|_| Repository::init_opts(&path, &options)).unwrap();
        let parent = git.head().ok().and_then(|head| head.peel_to_commit().ok());
        let before = parent.as_ref().map(|commit| commit.tree().unwrap());
        let mut tree = git.treebuilder(before.as_ref()).unwrap();
        for (name, bytes, mode) in files {
            let id = match mode {
                0o160_000 => Oid::from_str(std::str::from_utf8(bytes).unwrap()).unwrap(),
                _ => git.blob(bytes).unwrap(),
            };
            tree.insert(name, id, *mode).unwrap();
        }
        let tree = git.find_tree(tree.write().unwrap()).unwrap();
        let author = Signature::new("A", "a@example.org", &Time::new(1_000_000_000, 0)).unwrap();
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        git.commit(Some("HEAD"), &author, &author, "a commit", &tree, &parents).unwrap()
    }

    fn text(&self, repository: &str, text: &str) -> Oid {
        self.commit(repository, &[("a.txt", text.as_bytes(), 0o100_644)])
    }

    /// A commit whose pack is too long to arrive in one piece.
    fn bulk(&self, repository: &str) -> Oid {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        };
        let noise: Vec<u8> = (0..50_000).flat_map(|_| next()).collect();
        self.commit(repository, &[("noise", &noise, 0o100_644)])
    }

    /// Whole clones in the cache, and everything else there but locks.
    fn cached(&self) -> (usize, Vec<String>) {
        let names = fs::read_dir(self.home.repositories()).into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let (clones, rest): (Vec<String>, Vec<String>) = names.partition(|name| name.ends_with(".git"));
        (clones.len(), rest.into_iter().filter(|name| !name.ends_with(".lock")).collect())
    }
}

fn origin(url: &str, revision: &str) -> Origin {
    Origin::Git { url: url.into(), revision: revision.into() }
}

fn subject(url: &str, revision: &str) -> Subject {
    Subject {
        name: "subject".into(),
        origin: origin(url, revision),
        source: "somewhere".into(),
        directory: None,
        jdk: None,
        maven: None,
        tools: std::collections::BTreeMap::new(),
        user: None,
        overrides: BTreeMap::new(),
        label: None,
        inferred: None,
        generator: None,
        earlier: None,
        version: None,
        modules: Vec::new(),
        maven_args: Vec::new(),
        environment: BTreeMap::new(),
        phase: "test".into(),
        setup: Vec::new(),
        surefire: SurefireVersion::Pinned,
        disable_plugins: Vec::new(),
        timeout: Duration::from_secs(60),
        repetitions: 1,
        configurations: Vec::new(),
        dependencies: None,
    }
}

/// Everything that a user could see of an error.
fn shown(report: &miette::Report) -> String {
    format!("{report} {report:?} {:?}", report.help().map(|help| help.to_string()))
}

/// Keeps what it is told.
#[derive(Default)]
struct Told {
    stages: RefCell<Vec<String>>,
    furthest: Cell<(u64, u64)>,
}

impl Progress for Told {
    fn stage(&self, text: &str) {
        self.stages.borrow_mut().push(text.to_owned());
    }

    fn at(&self, done: u64, total: u64) {
        self.furthest.set((done, total));
    }
}

#[test]
fn a_public_repository_is_cloned_and_updated_only_when_it_must_be() {
    let lab = Lab::new();
    let first = lab.text("x.git", "1").to_string();
    let server = Server::start(&lab.served());
    let url = server.url("x.git");
    let root = lab.checkout(&url, "main").unwrap();
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "1");
    let before = server.requests();
    assert_eq!(lab.resolve(&url, &first).unwrap(), first);
    assert_eq!(lab.resolve(&url, &first[..9]).unwrap(), first);
    assert_eq!(server.requests(), before, "a commit that is there needs no server");
    let second = lab.text("x.git", "2").to_string();
    assert_eq!(lab.resolve(&url, &second).unwrap(), second);
    let third = lab.text("x.git", "3").to_string();
    assert_eq!(lab.resolve(&url, "main").unwrap(), third);
    let root = lab.checkout(&url, &third).unwrap();
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "3");
}

#[test]
fn progress_is_told() {
    let lab = Lab::new();
    lab.bulk("x.git");
    let server = Server::start(&lab.served());
    let told = Told::default();
    let url = server.url_as("me:hunter2", "x.git");
    lab.sources(&told).resolve(&origin(&url, "main")).unwrap();
    let stages = told.stages.borrow().join("\n");
    let (done, total) = told.furthest.get();
    assert!(done == total && total >= 3, "a commit, a tree and a file: {done} of {total}");
    assert!(stages.contains("cloning http://***@127.0.0.1") && !stages.contains("hunter2"), "{stages}");
}

#[test]
fn a_commit_that_does_not_exist_is_named_with_its_url() {
    let lab = Lab::new();
    let commit = lab.text("x.git", "1").to_string();
    let server = Server::start(&lab.served());
    let url = server.url("x.git");
    let absent = format!("{}{}", &commit[..8], "0".repeat(32));
    for revision in [absent.as_str(), "v9", "mian"] {
        let text = shown(&lab.resolve(&url, revision).unwrap_err());
        assert!(text.contains(revision) && text.contains(&url), "{text}");
    }
    assert!(
        shown(&lab.resolve(&url, "mian").unwrap_err()).contains("did you mean main"),
        "the nearest name is offered"
    );
    assert!(shown(&lab.resolve(&url, &absent).unwrap_err()).contains(&commit), "the nearest commit is offered");
    let text = shown(&lab.resolve(&server.url("absent.git"), "main").unwrap_err());
    assert!(text.contains("no repository at"), "{text}");
}

#[test]
fn a_commit_on_no_branch_is_asked_for() {
    let lab = Lab::new();
    lab.text("x.git", "1");
    let hidden = lab.text("x.git", "2");
    let git = Repository::open_bare(lab.served().join("x.git")).unwrap();
    let parent = git.find_commit(hidden).unwrap().parent_id(0).unwrap();
    git.reference("refs/heads/main", parent, true, "").unwrap();
    let server = Server::start(&lab.served());
    let url = server.url("x.git");
    assert!(lab.resolve(&url, &hidden.to_string()).is_err(), "git servers do not give it unless told to");
    git.config().unwrap().set_bool("uploadpack.allowAnySHA1InWant", true).unwrap();
    assert_eq!(lab.resolve(&url, &hidden.to_string()).unwrap(), hidden.to_string());
}

#[test]
fn passwords_open_the_door_and_are_never_shown() {
    let lab = Lab::new();
    lab.text("x.git", "1");
    let server = Server::start_with(&lab.served(), Some("me:open sesame"));
    for (url, word) in [
        (server.url_as("me:wr0ng-s3cret", "x.git"), "wr0ng-s3cret"),
        (server.url_as("t0ken", "x.git"), "t0ken"),
        (server.url("x.git"), "sesame"),
    ] {
        let text = shown(&lab.resolve(&url, "main").unwrap_err());
        assert!(text.contains("not allowed to read") && !text.contains(word), "{text}");
    }
    let url = server.url_as("me:open%20sesame", "x.git");
    let root = lab.checkout(&url, "main").unwrap();
    for file in ["config", "packed-refs", "HEAD"] {
        assert!(!fs::read_to_string(root.join(".git").join(file)).unwrap().contains("sesame"));
    }
}

#[test]
fn a_credential_helper_is_asked() {
    let lab = Lab::new();
    let commit = lab.text("x.git", "1").to_string();
    let server = Server::start_with(&lab.served(), Some("me:sesame"));
    lab.configure("[credential]\n\thelper = \"!f() { echo username=me; echo password=sesame; }; f\"\n");
    assert_eq!(lab.resolve(&server.url("x.git"), "main").unwrap(), commit);
    lab.configure("[credential]\n\thelper = \"!f() { echo username=me; echo password=stale; }; f\"\n");
    let text = shown(&lab.resolve(&server.url("x.git"), "main").unwrap_err());
    assert!(text.contains("does not accept") && !text.contains("stale"), "{text}");
}

#[test]
fn a_server_that_hangs_is_given_up() {
    for mood in [Mood::Hang, Mood::StallMidPack] {
        let lab = Lab { patience: Duration::from_millis(500), ..Lab::new() };
        lab.bulk("x.git");
        let server = Server::start(&lab.served());
        server.is(mood);
        let text = shown(&lab.resolve(&server.url("x.git"), "main").unwrap_err());
        assert!(text.contains("sent nothing for") && text.contains("PARADE_GIT_TIMEOUT"), "{mood:?}: {text}");
        assert_eq!(lab.cached().0, 0, "{mood:?}: no clone appears");
    }
}

#[test]
fn an_interrupt_does_not_wait_for_a_server_that_hangs() {
    let lab = Lab::new();
    lab.text("x.git", "1");
    let server = Server::start(&lab.served());
    server.is(Mood::Hang);
    let interrupt = || server.requests() > 0;
    let sources = Sources { interrupt: &interrupt, ..lab.sources(&Silent) };
    let text = shown(&sources.resolve(&origin(&server.url("x.git"), "main")).unwrap_err());
    assert!(text.contains("interrupted"), "{text}");
}

#[test]
fn a_dropped_connection_is_tried_again() {
    for mood in [Mood::DropMidPack(2), Mood::Overloaded(2)] {
        let lab = Lab::new();
        let commit = lab.bulk("x.git").to_string();
        let server = Server::start(&lab.served());
        server.is(mood);
        assert_eq!(lab.resolve(&server.url("x.git"), "main").unwrap(), commit, "{mood:?}");
        assert_eq!(lab.cached(), (1, Vec::new()));
    }
}

#[test]
fn a_connection_that_always_drops_is_an_error_and_leaves_no_half_clone() {
    let lab = Lab::new();
    let commit = lab.bulk("x.git").to_string();
    let server = Server::start(&lab.served());
    let url = server.url("x.git");
    server.is(Mood::DropMidPack(100));
    let text = shown(&lab.resolve(&url, "main").unwrap_err());
    assert!(text.contains("cannot fetch") && text.contains(&url), "{text}");
    assert_eq!(server.packs(), 3, "once, and two times again");
    assert_eq!(lab.cached(), (0, Vec::new()));
    server.is(Mood::Serve);
    assert_eq!(lab.resolve(&url, "main").unwrap(), commit);
    lab.commit("x.git", &[("more", b"x", 0o100_644)]);
    server.is(Mood::DropMidPack(100));
    assert!(lab.resolve(&url, "main").is_err());
    assert_eq!(lab.resolve(&url, &commit).unwrap(), commit, "a failed update leaves the clone as it was");
}

#[test]
fn a_server_that_lies_is_found_out_and_leaves_nothing() {
    let moods = [Mood::Babble, Mood::CorruptPack, Mood::PromiseOthers, Mood::RedirectToFile, Mood::RedirectForEver];
    for mood in moods {
        let lab = Lab::new();
        let commit = lab.bulk("x.git").to_string();
        let server = Server::start(&lab.served());
        let url = server.url("x.git");
        server.is(mood);
        let text = shown(&lab.resolve(&url, "main").unwrap_err());
        assert!(text.contains(&url), "{mood:?}: {text}");
        assert_eq!(lab.cached(), (0, Vec::new()), "{mood:?}: no clone appears");
        server.is(Mood::Serve);
        assert_eq!(lab.resolve(&url, "main").unwrap(), commit, "{mood:?}: and later all is well");
    }
}

#[test]
fn a_server_that_lies_about_an_update_does_not_spoil_the_clone() {
    for mood in [Mood::Babble, Mood::CorruptPack, Mood::PromiseOthers] {
        let lab = Lab::new();
        let first = lab.bulk("x.git").to_string();
        let server = Server::start(&lab.served());
        let url = server.url("x.git");
        assert_eq!(lab.resolve(&url, "main").unwrap(), first);
        let second = lab.text("x.git", "more").to_string();
        server.is(mood);
        assert!(lab.resolve(&url, "main").is_err(), "{mood:?}");
        assert_eq!(lab.resolve(&url, &first).unwrap(), first, "{mood:?}");
        server.is(Mood::Serve);
        assert_eq!(lab.resolve(&url, "main").unwrap(), second, "{mood:?}");
    }
}

#[test]
fn a_server_that_never_comes_to_an_end_is_given_up() {
    for mood in [Mood::EndlessReferences, Mood::EndlessProgress] {
        let lab = Lab { patience: Duration::from_millis(300), ..Lab::new() };
        lab.bulk("x.git");
        let server = Server::start(&lab.served());
        server.is(mood);
        let text = shown(&lab.resolve(&server.url("x.git"), "main").unwrap_err());
        assert!(text.contains("sent nothing for") || text.contains("it was busy"), "{mood:?}: {text}");
        assert_eq!(lab.cached().0, 0, "{mood:?}: no clone appears");
    }
}

#[test]
fn thousands_of_references_are_read() {
    let lab = Lab::new();
    let commit = lab.text("x.git", "1");
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    (0..3_000).for_each(|number| packed.push_str(&format!("{commit} refs/heads/many/branch-{number:06}\n")));
    fs::write(lab.served().join("x.git/packed-refs"), packed).unwrap();
    let server = Server::start(&lab.served());
    assert_eq!(lab.resolve(&server.url("x.git"), "many/branch-002999").unwrap(), commit.to_string());
}

#[test]
fn insteadof_sends_subjects_and_submodules_to_a_mirror() {
    let lab = Lab::new();
    let library = lab.text("library.git", "library").to_string();
    let modules = b"[submodule \"one\"]\n\tpath = one\n\turl = https://far.invalid/library.git\n\
        [submodule \"two\"]\n\tpath = two\n\turl = ../library.git\n";
    let files: [(&str, &[u8], i32); 3] = [
        (".gitmodules", modules, 0o100_644),
        ("one", library.as_bytes(), 0o160_000),
        ("two", library.as_bytes(), 0o160_000),
    ];
    lab.commit("x.git", &files);
    let url = "https://far.invalid/x.git";
    let server = Server::start(&lab.served());
    for mirror in [server.url(""), format!("{}/", lab.served().display())] {
        lab.configure(&format!("[url \"{mirror}\"]\n\tinsteadOf = https://far.invalid/\n"));
        let root = lab.checkout(url, "main").unwrap();
        for module in ["one", "two"] {
            assert_eq!(fs::read_to_string(root.join(module).join("a.txt")).unwrap(), "library", "{mirror} {module}");
        }
        let config = fs::read_to_string(root.join(".git/config")).unwrap();
        assert!(config.contains(url), "the subject is what it says, wherever it was fetched: {config}");
        fs::remove_dir_all(lab.home.root()).unwrap();
    }
}

#[test]
fn a_remote_repository_may_not_make_us_read_local_files() {
    let lab = Lab::new();
    let secret = lab.text("secret.git", "secret").to_string();
    let modules = format!("[submodule \"s\"]\n\tpath = s\n\turl = {}\n", lab.served().join("secret.git").display());
    let files: [(&str, &[u8], i32); 2] =
        [(".gitmodules", modules.as_bytes(), 0o100_644), ("s", secret.as_bytes(), 0o160_000)];
    lab.commit("x.git", &files);
    let server = Server::start(&lab.served());
    let text = shown(&lab.checkout(&server.url("x.git"), "main").unwrap_err());
    assert!(text.contains("points into this machine's files"), "{text}");
}

#[test]
fn a_proxy_from_git_s_configuration_is_asked() {
    let lab = Lab::new();
    let server = Server::start(&lab.served());
    server.is(Mood::Overloaded(100));
    lab.configure(&format!("[http]\n\tproxy = {}\n", server.url("")));
    let text = shown(&lab.resolve("https://far.invalid/x.git", "main").unwrap_err());
    assert!(server.requests() > 0 && text.contains("proxy"), "{text}");
}

#[test]
fn two_parades_at_once_clone_once() {
    let lab = Lab::new();
    let commit = lab.bulk("x.git").to_string();
    let server = Server::start(&lab.served());
    let url = server.url("x.git");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(lab.resolve(&url, &commit).unwrap(), commit));
        }
    });
    assert_eq!(server.packs(), 1);
}
