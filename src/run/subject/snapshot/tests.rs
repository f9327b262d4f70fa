use std::os::unix::fs::{MetadataExt, symlink};

use tempfile::TempDir;

use super::*;

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// A built project: two poms with their `target`, a link, an empty folder, a program, a `.git`.
    fn new() -> Self {
        let fixture = Fixture { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("pom.xml", "<project/>"),
            ("target/classes/A.class", "A"),
            ("module/pom.xml", "<project/>"),
            ("module/target/B.class", "B"),
            ("src/target/data.txt", "not a build folder"),
            ("run.sh", "#!/bin/sh"),
            (".git/HEAD", "main"),
        ] {
            fixture.write(path, text);
        }
        fs::create_dir(fixture.path("empty")).unwrap();
        symlink("run.sh", fixture.path("link")).unwrap();
        fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
        let odd = OsString::from_vec(b"\xff\xfe.txt".to_vec());
        fs::write(fixture.root().join(odd), "not UTF-8").unwrap();
        fixture
    }

    fn take(&self) -> Snapshot {
        self.take_within(&unbounded()).unwrap()
    }

    fn take_within(&self, bounds: &Bounds<'_>) -> std::result::Result<Snapshot, NotCopied> {
        let taken = Snapshot::take(&self.root(), &self.store(), bounds).unwrap();
        assert!(!with_ending(&self.store(), ".half").exists(), "nothing is left behind");
        taken
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("snapshot")
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        fs::create_dir_all(self.path(relative).parent().unwrap()).unwrap();
        fs::write(self.path(relative), text).unwrap();
    }

    /// Everything that a snapshot promises to keep, as text.
    fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        describe(&self.root(), Path::new(""), &mut lines);
        lines
    }
}

fn describe(root: &Path, relative: &Path, lines: &mut Vec<String>) {
    let path = root.join(relative);
    let metadata = path.symlink_metadata().unwrap();
    let content = match metadata.file_type() {
        kind if kind.is_dir() => String::new(),
        kind if kind.is_symlink() => format!("{:?}", fs::read_link(&path).unwrap()),
        _ => format!("{:?}", fs::read(&path).unwrap()),
    };
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    lines.push(format!("{relative:?} {:o} {modified:?} {content}", metadata.mode()));
    if metadata.is_dir() {
        for name in children(&FolderHandle::open(&path).unwrap()).unwrap().keys() {
            describe(root, &relative.join(name), lines);
        }
    }
}

fn unbounded() -> Bounds<'static> {
    Bounds::new(&|| false)
}

fn listed(paths: &[&str]) -> Vec<PathBuf> {
    paths.iter().map(PathBuf::from).collect()
}

#[test]
fn an_untouched_worktree_has_no_changes() {
    let fixture = Fixture::new();
    let before = fixture.describe();
    let snapshot = fixture.take();
    assert_eq!(snapshot.restore().unwrap(), Changes::default());
    assert_eq!(fixture.describe(), before);
}

#[test]
fn everything_that_changed_is_brought_back_and_told() {
    let fixture = Fixture::new();
    let before = fixture.describe();
    fixture.take();
    fixture.write("target/classes/A.class", "changed");
    fs::remove_dir_all(fixture.path("module/target")).unwrap();
    fixture.write("target/surefire-reports/x/1.xml", "new");
    fixture.write("target/surefire-reports/2.xml", "new");
    fixture.write("src/target/data.txt", "changed, and no build folder");
    fixture.write("left/behind/file", "new");
    fs::remove_dir(fixture.path("empty")).unwrap();
    fs::remove_file(fixture.path("link")).unwrap();
    symlink("elsewhere", fixture.path("link")).unwrap();
    fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::remove_file(fixture.path("pom.xml")).unwrap();
    fs::create_dir(fixture.path("pom.xml")).unwrap();
    fixture.write(".git/HEAD", "other");

    let changes = Snapshot::open(&fixture.store()).unwrap().unwrap().restore().unwrap();

    assert_eq!(changes.in_build_folders, 4);
    let elsewhere = ["empty", "left", "link", "pom.xml", "run.sh", "src/target/data.txt"];
    assert_eq!(changes.elsewhere, listed(&elsewhere));
    assert_eq!(changes.elsewhere_total, elsewhere.len());
    assert_eq!(fixture.describe(), before);
    assert_eq!(fs::read_to_string(fixture.path(".git/HEAD")).unwrap(), "other", "git's folder is left alone");
}

#[test]
fn a_touched_file_gets_its_time_back_to_the_nanosecond() {
    let fixture = Fixture::new();
    let before = fixture.describe();
    let snapshot = fixture.take();
    fixture.write("run.sh", "#!/bin/sh");
    assert_eq!(snapshot.restore().unwrap().elsewhere, listed(&["run.sh"]));
    assert_eq!(fixture.describe(), before);
}

#[test]
fn folders_that_forbid_writing_are_no_obstacle() {
    let fixture = Fixture::new();
    let forbid = |path: &str, mode| fs::set_permissions(fixture.path(path), fs::Permissions::from_mode(mode)).unwrap();
    forbid("src/target", 0o555);
    let before = fixture.describe();
    let snapshot = fixture.take();
    fixture.write("locked/inner/file", "x");
    forbid("locked/inner", 0o500);
    forbid("locked", 0o500);
    forbid("module", 0o500);
    assert_eq!(snapshot.restore().unwrap().elsewhere, listed(&["locked", "module"]));
    assert_eq!(fixture.describe(), before);
    fixture.take();
    remove(&fixture.store()).unwrap();
    forbid("src/target", 0o755);
}

#[test]
fn links_are_never_followed() {
    let fixture = Fixture::new();
    let outside = fixture.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "x").unwrap();
    let snapshot = fixture.take();
    fs::remove_dir_all(fixture.path("src")).unwrap();
    symlink(&outside, fixture.path("src")).unwrap();
    symlink(&outside, fixture.path("another")).unwrap();
    assert_eq!(snapshot.restore().unwrap().elsewhere, listed(&["another", "src"]));
    assert!(outside.join("precious").exists());
    assert!(fixture.path("src").symlink_metadata().unwrap().is_dir());
}

#[test]
fn a_snapshot_half_taken_is_not_opened_and_can_be_taken_again() {
    let fixture = Fixture::new();
    assert!(Snapshot::open(&fixture.store()).unwrap().is_none());
    let half = fixture.folder.path().join("snapshot.half/files");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("stale"), "x").unwrap();
    assert!(Snapshot::open(&fixture.store()).unwrap().is_none());
    let snapshot = fixture.take();
    assert_eq!(snapshot.restore().unwrap(), Changes::default());
    assert!(!fixture.path("stale").exists());
}

#[test]
fn the_list_of_changes_is_bounded() {
    let fixture = Fixture::new();
    let snapshot = fixture.take();
    for number in 0..Changes::MAX_LISTED + 7 {
        fixture.write(&format!("new-{number:04}"), "x");
    }
    let changes = snapshot.restore().unwrap();
    assert_eq!(changes.elsewhere.len(), Changes::MAX_LISTED);
    assert_eq!(changes.elsewhere_total, Changes::MAX_LISTED + 7);
    assert_eq!(changes.elsewhere[0], Path::new("new-0000"));
}

#[test]
fn sockets_are_left_out_and_swept_away() {
    let fixture = Fixture::new();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.path("socket")).unwrap();
    let snapshot = fixture.take();
    assert_eq!(snapshot.restore().unwrap().elsewhere, listed(&["socket"]));
    assert!(!fixture.path("socket").exists());
}

#[test]
fn a_worktree_that_vanished_comes_back() {
    let fixture = Fixture::new();
    let snapshot = fixture.take();
    fs::remove_dir_all(fixture.root()).unwrap();
    snapshot.restore().unwrap();
    assert_eq!(fs::read_to_string(fixture.path("module/target/B.class")).unwrap(), "B");
}

fn set_time_as(file: &Path, original: &std::fs::Metadata) {
    let times = fs::FileTimes::new().set_modified(original.modified().unwrap());
    File::options().write(true).open(file).unwrap().set_times(times).unwrap();
}

#[test]
fn content_that_changed_without_its_size_and_time_is_brought_back() {
    for known in [true, false] {
        let fixture = Fixture::new();
        let before = fixture.describe();
        let mut snapshot = fixture.take();
        if !known {
            snapshot = Snapshot::open(&fixture.store()).unwrap().unwrap();
        }
        let class = fixture.path("target/classes/A.class");
        let original = fs::metadata(&class).unwrap();
        fs::write(&class, "X").unwrap();
        set_time_as(&class, &original);
        assert_eq!(snapshot.restore().unwrap().in_build_folders, 1);
        assert_eq!(fixture.describe(), before);
    }
}

#[test]
fn a_kept_build_that_was_changed_is_an_error_that_names_the_file() {
    type Deed = fn(&Path);
    let deeds: [(&str, Deed); 5] = [
        ("target/classes/A.class", |file| {
            let original = fs::metadata(file).unwrap();
            fs::write(file, "X").unwrap();
            set_time_as(file, &original);
        }),
        ("module/target/B.class", |file| fs::remove_file(file).unwrap()),
        ("target/classes/New.class", |file| fs::write(file, "new").unwrap()),
        ("link", |link| {
            fs::remove_file(link).unwrap();
            symlink("/etc/passwd", link).unwrap();
        }),
        ("run.sh", |file| {
            fs::remove_file(file).unwrap();
            symlink("/etc/passwd", file).unwrap();
        }),
    ];
    for (name, deed) in deeds {
        let fixture = Fixture::new();
        let snapshot = fixture.take();
        deed(&fixture.store().join(FILES).join(name));
        for snapshot in [snapshot, Snapshot::open(&fixture.store()).unwrap().unwrap()] {
            let error = snapshot.restore().unwrap_err();
            assert!(error.to_string().contains(name), "{name}: {error}");
            assert!(error.help().unwrap().to_string().contains("is then built again"), "{error:?}");
        }
    }
}

#[test]
fn a_kept_build_that_was_only_moved_is_still_good() {
    let fixture = Fixture::new();
    fixture.take();
    let file = fixture.store().join(FILES).join("run.sh");
    let original = fs::metadata(&file).unwrap();
    fs::copy(&file, fixture.folder.path().join("copy")).unwrap();
    fs::rename(fixture.folder.path().join("copy"), &file).unwrap();
    set_time_as(&file, &original);
    let snapshot = Snapshot::open(&fixture.store()).unwrap().unwrap();
    assert_eq!(snapshot.restore().unwrap(), Changes::default());
}

#[test]
fn nobody_else_may_enter_a_snapshot() {
    let fixture = Fixture::new();
    fixture.take();
    assert_eq!(fs::metadata(fixture.store()).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_worktree_that_became_a_link_is_replaced() {
    let fixture = Fixture::new();
    let outside = fixture.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "x").unwrap();
    let snapshot = fixture.take();
    fs::remove_dir_all(fixture.root()).unwrap();
    symlink(&outside, fixture.root()).unwrap();
    snapshot.restore().unwrap();
    assert!(fixture.path("pom.xml").is_file() && !fixture.root().is_symlink());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn holes_are_kept_and_brought_back_as_holes() {
    let fixture = Fixture::new();
    fixture.write("big.bin", "begin");
    File::options().write(true).open(fixture.path("big.bin")).unwrap().set_len(64 << 20).unwrap();
    let snapshot = fixture.take();
    let kept = fs::metadata(fixture.store().join(FILES).join("big.bin")).unwrap();
    assert!(kept.len() == 64 << 20 && kept.blocks() * 512 < 4 << 20, "{kept:?}");
    fs::remove_file(fixture.path("big.bin")).unwrap();
    assert_eq!(snapshot.restore().unwrap().elsewhere, listed(&["big.bin"]));
    let back = fs::metadata(fixture.path("big.bin")).unwrap();
    assert!(back.len() == 64 << 20 && back.blocks() * 512 < 4 << 20, "{back:?}");
    assert!(fs::read(fixture.path("big.bin")).unwrap().starts_with(b"begin\0"));
}

#[test]
fn too_much_is_refused_with_the_name_of_the_file() {
    let fixture = Fixture::new();
    fixture.write("target/big.bin", "12345");
    let refused = |bytes| match fixture.take_within(&Bounds { bytes, ..unbounded() }) {
        Err(NotCopied::Refused(reason)) => reason,
        other => panic!("{other:?}"),
    };
    for (bytes, words) in [(4, "claims a size"), (30, "together")] {
        let reason = refused(bytes);
        assert!(reason.contains(words), "{reason}");
    }
    File::options().write(true).open(fixture.path("target/big.bin")).unwrap().set_len(90 << 20).unwrap();
    let reason = refused(80 << 20);
    assert!(reason.contains("target/big.bin claims a size of 90"), "{reason}");
    assert!(Snapshot::open(&fixture.store()).unwrap().is_none());
}

#[test]
fn folders_nested_without_end_are_refused_and_others_kept() {
    let fixture = Fixture::new();
    let nest = |levels: usize| {
        let mut here = FolderHandle::open(&fixture.root()).unwrap();
        for _ in 0..levels {
            here = here.make_folder(OsStr::new("d")).unwrap();
        }
    };
    nest(MOST_LEVELS);
    let snapshot = fixture.take();
    fs::remove_dir(fixture.path("d").join("d/".repeat(MOST_LEVELS - 1))).unwrap();
    assert_eq!(snapshot.restore().unwrap().elsewhere_total, 1);
    remove(&fixture.path("d")).unwrap();
    nest(3_000);
    let Err(NotCopied::Refused(reason)) = fixture.take_within(&unbounded()) else { panic!("it was kept") };
    assert!(reason.contains("256 levels deep below d/d/d"), "{reason}");
    snapshot.restore().unwrap();
    remove(&fixture.root()).unwrap();
}

#[test]
fn taking_a_snapshot_ends_with_its_time_and_when_interrupted() {
    let fixture = Fixture::new();
    let late = fixture.take_within(&unbounded().within(std::time::Duration::ZERO)).unwrap_err();
    assert!(matches!(&late, NotCopied::Refused(reason) if reason.contains("time limit of builds")), "{late:?}");
    // Within a file, too.
    File::create(fixture.path("a.bin")).unwrap().set_len(64 << 20).unwrap();
    let asked = std::cell::Cell::new(0);
    let interrupt = || {
        asked.set(asked.get() + 1);
        asked.get() > 20
    };
    assert_eq!(fixture.take_within(&Bounds::new(&interrupt)).unwrap_err(), NotCopied::Interrupted);
    assert!(asked.get() < 40, "{}", asked.get());
}
