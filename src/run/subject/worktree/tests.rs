use std::process::Command;
use std::time::Duration;

use git2::ObjectType;

use super::super::Silent;
use super::super::test_repository::TestRepository;
use super::*;
use crate::home::Home;
use crate::spec::fingerprint_tests;

/// As git wants it for submodules in folders of this machine.
const TRUSTED: &str = "[protocol \"file\"]\n\tallow = always\n";

fn subject(origin: Origin) -> Subject {
    Subject { name: "subject".into(), origin, source: "somewhere".into(), ..fingerprint_tests::subject() }
}

struct Fixture {
    folder: tempfile::TempDir,
    home: Home,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        Fixture { folder, home }
    }

    /// The user's git configuration.
    fn configure(&self, text: &str) {
        fs::write(self.folder.path().join("gitconfig"), text).unwrap();
    }

    fn network(&self) -> Network {
        let git_config = Some(self.folder.path().join("gitconfig"));
        Network { git_config, pause: Duration::ZERO, ..Network::default() }
    }

    fn sources(&self) -> Sources<'_> {
        Sources { home: &self.home, network: self.network(), progress: &Silent, interrupt: &|| false }
    }

    fn resolve(&self, url: &str, revision: &str) -> Result<String> {
        self.sources().resolve(&Origin::Git { url: url.into(), revision: revision.into() })
    }

    fn checkout(&self, url: &str, revision: &str) -> Result<Checkout> {
        let origin = Origin::Git { url: url.into(), revision: revision.into() };
        let pinned = self.sources().resolve(&origin)?;
        self.sources().checkout(&subject(origin), &pinned)
    }
}

fn read(checkout: &Checkout, path: &str) -> String {
    fs::read_to_string(checkout.root.join(path)).unwrap()
}

fn git(root: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_worktree_is_at_its_commit_and_git_itself_agrees() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let first =
        origin.commit_modes(&[("a.txt", b"1", 0o100_644), ("run", b"#!", 0o100_755), ("link", b"a.txt", 0o120_000)]);
    origin.tag("v1", first, true);
    origin.commit(&[("a.txt", "2")]);
    let checkout = fixture.checkout(&origin.url(), "v1").unwrap();
    assert_eq!(checkout.revision, first.to_string());
    assert_eq!(read(&checkout, "link"), "1");
    assert_eq!(git(&checkout.root, &["rev-parse", "HEAD"]), first.to_string());
    assert_eq!(git(&checkout.root, &["status", "--porcelain"]), "");
    assert_eq!(git(&checkout.root, &["describe"]), "v1");
    git(&checkout.root, &["fsck"]);
}

#[test]
fn an_origin_with_a_hole_in_its_history_gives_what_is_whole() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let old = origin.git.blob(b"1").unwrap().to_string();
    let broken = origin.commit(&[("a.txt", "1")]).to_string();
    let whole = origin.commit(&[("a.txt", "2")]).to_string();
    fs::remove_file(origin.git.path().join("objects").join(&old[..2]).join(&old[2..])).unwrap();
    let checkout = fixture.checkout(&origin.url(), &whole[..10]).unwrap();
    assert_eq!((read(&checkout, "a.txt").as_str(), checkout.revision), ("2", whole));
    assert!(fixture.checkout(&origin.url(), &broken).is_err());
}

#[test]
fn an_untouched_worktree_is_used_again_and_a_touched_one_made_anew() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a.txt", "1"), (".gitignore", "target\n")]).to_string();
    let first = fixture.checkout(&origin.url(), &commit).unwrap();
    let stamp = |checkout: &Checkout| std::os::unix::fs::MetadataExt::ino(&checkout.root.metadata().unwrap());
    let before = stamp(&first);
    assert_eq!(stamp(&fixture.checkout(&origin.url(), &commit).unwrap()), before);
    type Damage = fn(&Path);
    let damages: [Damage; 5] = [
        |root| fs::write(root.join("a.txt"), "changed").unwrap(),
        |root| fs::remove_file(root.join("a.txt")).unwrap(),
        |root| fs::create_dir(root.join("target")).and_then(|()| fs::write(root.join("target/x"), "x")).unwrap(),
        |root| fs::remove_dir_all(root.join(".git/objects/info")).unwrap(),
        |root| fs::remove_file(root.with_file_name(COMPLETE)).unwrap(),
    ];
    for damage in damages {
        damage(&first.root);
        let again = fixture.checkout(&origin.url(), &commit).unwrap();
        assert_eq!(read(&again, "a.txt"), "1");
        assert!(!again.root.join("target").exists());
        git(&again.root, &["status"]);
    }
}

#[test]
fn a_built_worktree_is_left_to_its_snapshot() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a.txt", "1")]).to_string();
    let checkout = fixture.checkout(&origin.url(), &commit).unwrap();
    fs::write(checkout.root.join("built"), "x").unwrap();
    let bounds = crate::subject::Bounds::new(&|| false);
    Snapshot::take(&checkout.root, &checkout.snapshot_store(), &bounds).unwrap().unwrap();
    assert_eq!(read(&fixture.checkout(&origin.url(), &commit).unwrap(), "built"), "x");
    fs::remove_dir_all(checkout.root.join(".git")).unwrap();
    let anew = fixture.checkout(&origin.url(), &commit).unwrap();
    assert!(!anew.root.join("built").exists(), "without its repository it is no worktree");
    assert!(Snapshot::open(&anew.snapshot_store()).unwrap().is_none(), "the snapshot goes with its worktree");
}

#[test]
fn pinned_commits_and_tags_need_no_origin_but_branches_do() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let first = origin.commit(&[("a", "1")]);
    origin.tag("v1", first, false);
    let url = origin.url();
    assert_eq!(fixture.resolve(&url, "main").unwrap(), first.to_string());
    let second = origin.commit(&[("a", "2")]);
    assert_eq!(fixture.resolve(&url, "main").unwrap(), second.to_string(), "a branch is refreshed");
    assert_eq!(fixture.resolve(&url, "HEAD").unwrap(), second.to_string());
    fs::rename(origin.path(), origin.folder.path().join("gone")).unwrap();
    for revision in [&first.to_string()[..8], &second.to_string(), "v1"] {
        fixture.resolve(&url, revision).unwrap();
    }
    let report = fixture.resolve(&url, "main").unwrap_err();
    assert!(report.help().unwrap().to_string().contains(&second.to_string()), "{report:?}");
}

#[test]
fn commits_without_a_branch_are_found() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    origin.commit(&[("a", "1")]);
    let loose = origin.loose_commit("on no branch").to_string();
    assert_eq!(fixture.resolve(&origin.url(), &loose).unwrap(), loose);
    let report = fixture.resolve(&origin.url(), &"1234".repeat(10)).unwrap_err();
    assert!(report.to_string().contains(&origin.url()) && report.to_string().contains("12341234"), "{report}");
    let detached = origin.loose_commit("checked out");
    origin.git.set_head_detached(detached).unwrap();
    assert_eq!(fixture.resolve(&origin.url(), &detached.to_string()[..10]).unwrap(), detached.to_string());
}

#[test]
fn paths_that_are_no_repository_are_named() {
    let fixture = Fixture::new();
    for url in ["/nowhere/at/all", "file:///nowhere/at/all", "/"] {
        let report = fixture.resolve(url, "main").unwrap_err().to_string();
        assert!(report.contains("no repository at") && report.contains(url), "{report}");
    }
    assert!(fixture.resolve("", "main").is_err());
}

#[test]
fn a_path_with_a_colon_is_no_ssh_address() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]).to_string();
    let odd = origin.folder.path().join("host:path with 100%");
    fs::rename(origin.path(), &odd).unwrap();
    assert_eq!(fixture.resolve(odd.to_str().unwrap(), "main").unwrap(), commit);
}

#[test]
fn a_repository_of_another_user_can_be_a_subject() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]).to_string();
    for folder in [origin.path(), origin.git.path()] {
        if std::os::unix::fs::chown(folder, Some(54_321), None).is_err() {
            return; // Only root can give a folder away.
        }
    }
    assert_eq!(fixture.resolve(&origin.url(), "main").unwrap(), commit);
}

#[test]
fn branches_that_get_in_each_others_way_are_refreshed() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]);
    origin.branch("topic", commit);
    fixture.resolve(&origin.url(), "topic").unwrap();
    origin.git.find_branch("topic", git2::BranchType::Local).unwrap().delete().unwrap();
    origin.branch("topic/deeper", commit);
    assert_eq!(fixture.resolve(&origin.url(), "topic/deeper").unwrap(), commit.to_string());
    assert!(fixture.resolve(&origin.url(), "topic").is_err());
}

#[test]
fn what_a_killed_parade_left_behind_is_swept_away() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]);
    fixture.checkout(&origin.url(), "main").unwrap();
    let cached = fs::read_dir(fixture.home.repositories()).unwrap().flatten();
    let bare = cached.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "git")).unwrap();
    fs::write(bare.join("refs/heads/main.lock"), "").unwrap();
    let name = bare.file_stem().unwrap().to_str().unwrap();
    let half_clone = fixture.home.repositories().join(format!(".{name}.unfinished-x"));
    fs::create_dir(&half_clone).unwrap();
    let half_tree = fixture.home.worktrees().join(format!(".subject-{}.scratch-x", &commit.to_string()[..20]));
    fs::create_dir(&half_tree).unwrap();
    origin.commit(&[("a", "2")]);
    assert_eq!(read(&fixture.checkout(&origin.url(), "main").unwrap(), "a"), "2");
    fixture.checkout(&origin.url(), &commit.to_string()).unwrap();
    assert!(!half_clone.exists() && !half_tree.exists());
    fs::write(bare.join("HEAD"), "garbage").unwrap();
    fixture.resolve(&origin.url(), "main").unwrap();
}

#[test]
fn submodules_come_along_at_every_depth() {
    let (outer, middle, fixture) = (TestRepository::create(), TestRepository::create(), Fixture::new());
    let inner = TestRepository::create();
    fixture.configure(TRUSTED);
    let inner_commit = inner.commit(&[("deep.txt", "deep")]).to_string();
    let modules = format!("[submodule \"i\"]\n\tpath = i\n\turl = {}\n", inner.url());
    let files: [(&str, &[u8], u32); 2] =
        [(".gitmodules", modules.as_bytes(), 0o100_644), ("i", inner_commit.as_bytes(), 0o160_000)];
    let middle_commit = middle.commit_modes(&files).to_string();
    let relative = format!("../../{}/origin", middle.folder.path().file_name().unwrap().to_str().unwrap());
    let modules = format!("[submodule \"m\"]\n\tpath = lib/m\n\turl = {relative}\n");
    let files: [(&str, &[u8], u32); 3] = [
        (".gitmodules", modules.as_bytes(), 0o100_644),
        ("lib/m", middle_commit.as_bytes(), 0o160_000),
        ("unmapped", middle_commit.as_bytes(), 0o160_000),
    ];
    outer.commit_modes(&files);
    let checkout = fixture.checkout(&outer.url(), "main").unwrap();
    assert_eq!(read(&checkout, "lib/m/i/deep.txt"), "deep");
    assert_eq!(git(&checkout.root.join("lib/m/i"), &["rev-parse", "HEAD"]), inner_commit);
    assert_eq!(git(&checkout.root.join("lib/m"), &["status", "--porcelain"]), "");
    fs::write(checkout.root.join("lib/m/i/deep.txt"), "changed").unwrap();
    assert_eq!(read(&fixture.checkout(&outer.url(), "main").unwrap(), "lib/m/i/deep.txt"), "deep");
}

#[test]
fn a_submodule_in_this_machines_files_needs_the_users_leave() {
    let (private, outer) = (TestRepository::create(), TestRepository::create());
    let commit = private.commit(&[("secret.txt", "secret")]).to_string();
    let relative = format!("../../{}/origin", private.folder.path().file_name().unwrap().to_str().unwrap());
    for named in [private.url(), format!("file://{}", private.url()), relative] {
        let modules = format!("[submodule \"s\"]\n\tpath = s\n\turl = {named}\n");
        let files: [(&str, &[u8], u32); 2] =
            [(".gitmodules", modules.as_bytes(), 0o100_644), ("s", commit.as_bytes(), 0o160_000)];
        outer.commit_modes(&files);
        let fixture = Fixture::new();
        for refusing in ["", "[protocol \"file\"]\n\tallow = user\n", "[protocol]\n\tallow = never\n"] {
            fixture.configure(refusing);
            let report = fixture.checkout(&outer.url(), "main").unwrap_err();
            assert!(report.to_string().contains("submodule s of"), "{report}");
            assert!(report.help().unwrap().to_string().contains("protocol.file.allow always"));
            assert_eq!(clones(&fixture), 1, "{named} is not read");
        }
        fixture.configure(TRUSTED);
        assert_eq!(read(&fixture.checkout(&outer.url(), "main").unwrap(), "s/secret.txt"), "secret");
    }
}

#[test]
fn a_submodule_does_not_lead_out_of_a_mirror() {
    let (outer, fixture) = (TestRepository::create(), Fixture::new());
    let modules = "[submodule \"s\"]\n\tpath = s\n\turl = https://far.invalid/../../private\n";
    let absent = "1234".repeat(10);
    let files: [(&str, &[u8], u32); 2] =
        [(".gitmodules", modules.as_bytes(), 0o100_644), ("s", absent.as_bytes(), 0o160_000)];
    outer.commit_modes(&files);
    fixture.configure("[url \"/srv/mirror/\"]\n\tinsteadOf = https://far.invalid/\n");
    let report = fixture.checkout(&outer.url(), "main").unwrap_err().to_string();
    assert!(report.contains("is a folder of this machine"), "{report}");
}

fn clones(fixture: &Fixture) -> usize {
    let entries = fs::read_dir(fixture.home.repositories()).unwrap().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "git")).count()
}

#[test]
fn clones_are_for_parades_user_alone_unless_another_one_runs_the_tests() {
    use std::os::unix::fs::PermissionsExt;
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]).to_string();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let modes = || {
        let mut entries = fs::read_dir(fixture.home.repositories()).unwrap().flatten().map(|entry| entry.path());
        (mode(&fixture.home.repositories()), mode(&entries.find(|path| path.is_dir()).unwrap()))
    };
    fixture.checkout(&origin.url(), "main").unwrap();
    assert_eq!(modes(), (0o711, 0o700));
    if process::missing_privileges().is_some() {
        return;
    }
    // The worktree is there already, and its user's git needs the objects.
    let origin = Origin::Git { url: origin.url(), revision: commit.clone() };
    let subject = Subject { user: Some("nobody".into()), ..subject(origin) };
    fixture.sources().checkout(&subject, &commit).unwrap();
    assert_eq!(modes(), (0o711, 0o755));
}

#[test]
fn a_submodule_that_cannot_be_had_is_named() {
    let (outer, fixture) = (TestRepository::create(), Fixture::new());
    fixture.configure(TRUSTED);
    let absent = "1234".repeat(10);
    let modules = "[submodule \"gone\"]\n\tpath = lib\n\turl = /nowhere/at/all\n";
    let files: [(&str, &[u8], u32); 2] =
        [(".gitmodules", modules.as_bytes(), 0o100_644), ("lib", absent.as_bytes(), 0o160_000)];
    outer.commit_modes(&files);
    let report = fixture.checkout(&outer.url(), "main").unwrap_err().to_string();
    assert!(report.contains("submodule lib") && report.contains("/nowhere/at/all"), "{report}");
}

#[test]
fn trees_that_would_write_outside_are_refused() {
    for name in ["..", ".git", ".GIT", "../x", "/etc", "a/../../x"] {
        let (origin, fixture) = (TestRepository::create(), Fixture::new());
        origin.commit(&[("a", "1")]);
        let blob = origin.git.blob(b"hostile").unwrap();
        let mut raw = format!("100644 {name}\0").into_bytes();
        raw.extend_from_slice(blob.as_bytes());
        let tree = origin.git.odb().unwrap().write(ObjectType::Tree, &raw).unwrap();
        let signature = "A <a@example.org> 1000000000 +0000";
        let text = format!("tree {tree}\nauthor {signature}\ncommitter {signature}\n\nhostile\n");
        let commit = origin.git.odb().unwrap().write(ObjectType::Commit, text.as_bytes()).unwrap();
        origin.git.reference("refs/heads/hostile", commit, true, "").unwrap();
        let report = fixture.checkout(&origin.url(), "hostile").expect_err(name);
        assert!(report.to_string().contains(&origin.url()), "{name}: {report}");
        let left: Vec<_> =
            fs::read_dir(fixture.home.worktrees()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(left.iter().all(|file| file.to_string_lossy().ends_with(".lock")), "{name}: {left:?}");
    }
}

#[test]
fn names_that_are_not_text_are_checked_out() {
    use std::os::unix::ffi::OsStringExt;
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let blob = origin.git.blob(b"x").unwrap();
    let mut raw = b"100644 \xff\xfe\0".to_vec();
    raw.extend_from_slice(blob.as_bytes());
    origin.commit_tree(origin.git.odb().unwrap().write(ObjectType::Tree, &raw).unwrap());
    let checkout = fixture.checkout(&origin.url(), "main").unwrap();
    let name = std::ffi::OsString::from_vec(vec![0xff, 0xfe]);
    assert!(checkout.root.join(name).is_file());
    fixture.checkout(&origin.url(), "main").unwrap();
}

#[test]
fn a_shallow_local_clone_can_be_a_subject() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    origin.commit(&[("a", "1")]);
    let second = origin.commit(&[("a", "2")]).to_string();
    let shallow = origin.folder.path().join("shallow");
    let url = format!("file://{}", origin.url());
    git(origin.path(), &["clone", "--quiet", "--depth=1", &url, shallow.to_str().unwrap()]);
    let checkout = fixture.checkout(shallow.to_str().unwrap(), &second).unwrap();
    assert_eq!(read(&checkout, "a"), "2");
    assert_eq!(git(&checkout.root, &["log", "--format=%H"]), second);
}

#[test]
fn unusable_names_and_revisions_are_refused() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]).to_string();
    let from = Origin::Git { url: origin.url(), revision: "main".into() };
    for name in ["../x", "a/b", "", ".hidden", "x\0"] {
        let hostile = Subject { name: name.into(), ..subject(from.clone()) };
        let prepared = fixture.sources().checkout(&hostile, &commit);
        assert!(prepared.is_err(), "{name:?}");
    }
    for revision in ["", "main", "../../../../../../etc"] {
        assert!(fixture.sources().checkout(&subject(from.clone()), revision).is_err(), "{revision:?}");
    }
}

#[test]
fn an_interrupt_stops_the_work() {
    let (origin, fixture) = (TestRepository::create(), Fixture::new());
    let commit = origin.commit(&[("a", "1")]).to_string();
    let sources = Sources { interrupt: &|| true, ..fixture.sources() };
    let from = Origin::Git { url: origin.url(), revision: commit.clone() };
    assert!(sources.checkout(&subject(from), &commit).unwrap_err().to_string().contains("interrupted"));
}

#[test]
fn a_folder_becomes_a_worktree_with_a_repository() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pom.xml"), "<project/>").unwrap();
    fs::write(folder.path().join(".gitignore"), "ignored\n").unwrap();
    fs::write(folder.path().join("ignored"), "x").unwrap();
    let origin = Origin::Folder { path: folder.path().into() };
    let revision = fixture.sources().resolve(&origin).unwrap();
    let checkout = fixture.sources().checkout(&subject(origin.clone()), &revision).unwrap();
    assert_eq!(read(&checkout, "ignored"), "x");
    assert_eq!(git(&checkout.root, &["status", "--porcelain"]), "");
    fs::write(checkout.root.join("stray"), "x").unwrap();
    let again = fixture.sources().checkout(&subject(origin.clone()), &revision).unwrap();
    assert!(!again.root.join("stray").exists());
    fs::write(folder.path().join("pom.xml"), "<project></project>").unwrap();
    fs::remove_dir_all(fixture.home.worktrees()).unwrap();
    let report = fixture.sources().checkout(&subject(origin), &revision).unwrap_err().to_string();
    assert!(report.contains("has changed"), "{report}");
}
