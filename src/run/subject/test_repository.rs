//! Repositories for tests, made with git2 in a folder of their own.

use std::path::Path;

use git2::{IndexEntry, IndexTime, Oid, Repository, Signature, Time};
use tempfile::TempDir;

pub struct TestRepository {
    pub folder: TempDir,
    pub git: Repository,
}

impl TestRepository {
<<<<<<< HEAD
    #[allow(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
=======
    pub fn create() -> Self {
>>>>>>> b8e7dc4
        let folder = tempfile::tempdir().unwrap();
        let mut options = git2::RepositoryInitOptions::new();
        options.initial_head("main").external_template(false);
        let git = Repository::init_opts(folder.path().join("origin"), &options).unwrap();
        TestRepository { folder, git }
    }

    pub fn path(&self) -> &Path {
        self.git.workdir().unwrap()
    }

    pub fn url(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    /// Adds files to what `main` has, and commits.
    pub fn commit(&self, files: &[(&str, &str)]) -> Oid {
        let files: Vec<(&str, &[u8], u32)> =
            files.iter().map(|(name, text)| (*name, text.as_bytes(), 0o100_644)).collect();
        self.commit_modes(&files)
    }

    /// The same with modes: `0o120000` is a link, `0o160000` a submodule whose commit is the text.
    pub fn commit_modes(&self, files: &[(&str, &[u8], u32)]) -> Oid {
        let mut index = self.git.index().unwrap();
        for (name, bytes, mode) in files {
            let id = match mode {
                0o160_000 => Oid::from_str(std::str::from_utf8(bytes).unwrap()).unwrap(),
                _ => self.git.blob(bytes).unwrap(),
            };
            index.add(&entry(name.as_bytes(), id, *mode)).unwrap();
        }
        index.write().unwrap();
        let tree = index.write_tree().unwrap();
        self.commit_tree(tree)
    }

    pub fn commit_tree(&self, tree: Oid) -> Oid {
        let parent = self.git.head().ok().and_then(|head| head.peel_to_commit().ok());
        let tree = self.git.find_tree(tree).unwrap();
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        self.git.commit(Some("HEAD"), &author(), &author(), "a commit", &tree, &parents).unwrap()
    }

    /// On no branch at all.
    pub fn loose_commit(&self, message: &str) -> Oid {
        let tree = self.git.treebuilder(None).unwrap().write().unwrap();
        let tree = self.git.find_tree(tree).unwrap();
        self.git.commit(None, &author(), &author(), message, &tree, &[]).unwrap()
    }

    pub fn tag(&self, name: &str, commit: Oid, annotated: bool) {
        let object = self.git.find_object(commit, None).unwrap();
        match annotated {
            true => self.git.tag(name, &object, &author(), "a tag", false).unwrap(),
            false => self.git.tag_lightweight(name, &object, false).unwrap(),
        };
    }

    pub fn branch(&self, name: &str, commit: Oid) {
        let commit = self.git.find_commit(commit).unwrap();
        self.git.branch(name, &commit, true).unwrap();
    }
}

fn author() -> Signature<'static> {
    Signature::new("A", "a@example.org", &Time::new(1_000_000_000, 0)).unwrap()
}

fn entry(path: &[u8], id: Oid, mode: u32) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}
