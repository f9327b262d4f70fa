//! One clean worktree per subject and revision, under parade's own folder. Each is a repository of its own that borrows
//! its objects from the bare clone, since builds ask git (or JGit) about the commit they are made from; submodules are
//! checked out in it the same way. A worktree appears under its name only when it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use git2::build::CheckoutBuilder;
use git2::{Oid, Repository, RepositoryInitOptions, StatusOptions, SubmoduleUpdate};
use miette::{Result, miette};

use super::address::{is_local, may_refer_to, submodule_url};
use super::cache::Cache;
use super::lock::Hold;
use super::network::Network;
use super::source::Sources;
use super::{Checkout, Snapshot, folder, revision};
use crate::file_error::file_error;
use crate::home::Home;
use crate::process;
use crate::redaction::{redact, without_secrets};
use crate::spec::{Origin, Subject};

const TREE: &str = "tree";
const COMPLETE: &str = "complete";
const SNAPSHOT: &str = "snapshot";
/// Of a revision in the name of its worktree.
const SHORT_REVISION: usize = 20;
/// After the name of a subject whose tests are not its own.
const GENERATED: &str = ".generated";
/// Submodules within submodules; deeper than anyone nests them by intent.
const MAX_DEPTH: usize = 16;

/// The worktrees that are ours until this process ends: a run of hours builds and tests in them, and another parade must
/// neither do so at the same time nor make them again.
static HELD: Mutex<BTreeMap<PathBuf, Hold>> = Mutex::new(BTreeMap::new());

impl Checkout {
    /// Where the snapshot of this worktree's build belongs. It goes when the worktree is made again.
    pub fn snapshot_store(&self) -> PathBuf {
        self.root.with_file_name(SNAPSHOT)
    }
}

/// Finds the worktree, or makes it.
pub(super) fn prepare(sources: &Sources<'_>, subject: &Subject, revision: &str) -> Result<Checkout> {
    let place = Place::of(sources, subject, revision)?;
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let lock = place.folder.join(format!("{}.lock", place.name));
    if !held.contains_key(&lock) {
        let what = format!("the worktree of {}", subject.name);
        held.insert(lock.clone(), Hold::take(&lock, &what, sources.progress, sources.interrupt)?);
    }
    place.sweep()?;
    if !place.is_sound(revision, sources) {
        place.fill(sources, &subject.origin, revision)?;
    }
    Ok(Checkout { root: place.entry.join(TREE), revision: revision.to_owned() })
}

/// Removes the worktrees of a subject at other revisions, those in use apart. For subjects that have another revision with
/// every change, so that their builds do not fill the disk.
pub fn forget_others(subject: &str, revision: &str, home: &Home) -> Result<()> {
    let folder = home.worktrees();
    let kept = place_name(subject, revision);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_other = name != kept && entry.path().is_dir() && is_place_of(subject, &name);
        if is_other && let Some(_hold) = Hold::try_take(&folder.join(format!("{name}.lock"))) {
            super::snapshot::remove(&entry.path())?;
        }
    }
    Ok(())
}

pub(super) fn place_name(subject: &str, revision: &str) -> String {
    format!("{subject}-{}", revision.get(..revision.len().min(SHORT_REVISION)).unwrap_or_default())
}

/// Not of a subject whose name only begins alike.
fn is_place_of(subject: &str, name: &str) -> bool {
    let revision = name.strip_prefix(subject).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
    let digits = revision.strip_prefix("content-").unwrap_or(revision);
    revision.len() == SHORT_REVISION && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The folder of one worktree and what belongs to it.
struct Place {
    folder: PathBuf,
    name: String,
    entry: PathBuf,
    readers: CloneReaders,
}

/// Who asks git in a worktree, which borrows its objects from a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CloneReaders {
    OwnUser,
    Everyone,
}

impl CloneReaders {
    fn of(subject: &Subject) -> Self {
        let other = subject.user.as_deref().map(process::other_user);
        if matches!(other, Some(Ok(Some(_)))) { CloneReaders::Everyone } else { CloneReaders::OwnUser }
    }
}

impl Place {
    fn of(sources: &Sources<'_>, subject: &Subject, revision: &str) -> Result<Self> {
        // Versions are told apart by their revisions.
        let own = if subject.generated_tests().is_some() { GENERATED } else { "" };
        let name = place_name(&format!("{}{own}", subject.family()), revision);
        let safe = matches!(Path::new(&name).components().collect::<Vec<_>>().as_slice(), [Component::Normal(_)]);
        if !safe || name.starts_with('.') || name.contains('\0') || revision.is_empty() || subject.name.is_empty() {
            return Err(miette!("{name:?} cannot be the name of a worktree"));
        }
        let folder = sources.home.worktrees();
        fs::create_dir_all(&folder)
            .map_err(|error| file_error(format_args!("cannot make {}", folder.display()), &error))?;
        // Builds write absolute paths; they should not depend on which link leads here.
        let folder = folder.canonicalize().map_err(|error| file_error(format_args!("{}", folder.display()), &error))?;
        Ok(Place { entry: folder.join(&name), folder, name, readers: CloneReaders::of(subject) })
    }

    fn scratch_prefix(&self) -> String {
        format!(".{}.scratch-", self.name)
    }

    /// What a killed parade left: half a worktree, or one on its way out.
    fn sweep(&self) -> Result<()> {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&self.scratch_prefix()) {
                super::snapshot::remove(&entry.path())?;
            }
        }
        Ok(())
    }

    fn scratch(&self) -> Result<PathBuf> {
        let made = tempfile::Builder::new().prefix(&self.scratch_prefix()).tempdir_in(&self.folder);
        let path =
            made.map_err(|error| file_error(format_args!("cannot write to {}", self.folder.display()), &error))?.keep();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, open).map_err(|error| file_error(format_args!("{}", path.display()), &error))?;
        Ok(path)
    }

    /// Whole, at the revision, and untouched unless a snapshot can undo what touched it.
    fn is_sound(&self, revision: &str, sources: &Sources<'_>) -> bool {
        let marked =
            fs::read_to_string(self.entry.join(COMPLETE)).is_ok_and(|text| text == marker(revision, self.readers));
        if !marked {
            return false;
        }
        let tree = self.entry.join(TREE);
        let built = matches!(Snapshot::open(&self.entry.join(SNAPSHOT)), Ok(Some(_)));
        sources.progress.stage(&format!("checking the worktree {}", self.name));
        is_intact(&tree, Oid::from_str(revision).ok(), !built)
    }

    fn fill(&self, sources: &Sources<'_>, origin: &Origin, revision: &str) -> Result<()> {
        let scratch = self.scratch()?;
        let tree = scratch.join(TREE);
        let filled = fill_tree(sources, self.readers, origin, revision, &tree);
        let filled = filled.and_then(|()| write_marker(&scratch, &marker(revision, self.readers)));
        if let Err(error) = filled {
            // The reason matters more than a leftover, which the next sweep removes.
            let _ = super::snapshot::remove(&scratch);
            return Err(error);
        }
        self.replace_with(&scratch)
    }

    fn replace_with(&self, scratch: &Path) -> Result<()> {
        let failed = |error: std::io::Error| {
            file_error(format_args!("cannot move the worktree to {}", self.entry.display()), &error)
        };
        if self.entry.symlink_metadata().is_ok() {
            let old = self.scratch()?;
            fs::rename(&self.entry, old.join("old")).map_err(failed)?;
            fs::rename(scratch, &self.entry).map_err(failed)?;
            return super::snapshot::remove(&old);
        }
        fs::rename(scratch, &self.entry).map_err(failed)
    }
}

fn marker(revision: &str, readers: CloneReaders) -> String {
    let readers = if readers == CloneReaders::Everyone { " for another user" } else { "" };
    format!("parade worktree 1 {revision}{readers}\n")
}

fn write_marker(entry: &Path, marker: &str) -> Result<()> {
    let path = entry.join(COMPLETE);
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create(&path)?;
        file.write_all(marker.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| file_error(format_args!("cannot write {}", path.display()), &error))
}

fn fill_tree(sources: &Sources<'_>, readers: CloneReaders, origin: &Origin, revision: &str, tree: &Path) -> Result<()> {
    match origin {
        Origin::Git { url, .. } => {
            let commit = revision::as_full_hash(revision);
            let commit = commit.ok_or_else(|| miette!("{revision:?} is not a full commit hash; resolve it first"))?;
            check_out(sources, readers, url, commit, tree, 0)
        }
        Origin::Folder { path } => {
            let copied = folder::copy(path, tree, sources.progress, sources.interrupt)?;
            if copied != revision {
                let help = "do not write into the folder while an experiment uses it; start again";
                return Err(miette!(help = help, "{} has changed since it was pinned", path.display()));
            }
            folder::commit_all(tree).map_err(|error| miette!("cannot record {}: {}", path.display(), error.message()))
        }
        Origin::Model { path } => Err(miette!("{} is a model: it has no worktree", path.display())),
    }
}

/// Is this a worktree at the commit, without a trace of anything else if that is asked for?
fn is_intact(tree: &Path, commit: Option<Oid>, untouched: bool) -> bool {
    let check = || -> std::result::Result<bool, git2::Error> {
        let repository = Repository::open(tree)?;
        let head = repository.head()?.peel_to_commit()?;
        head.tree()?;
        if commit.is_some_and(|wanted| wanted != head.id()) {
            return Ok(false);
        }
        Ok(!untouched || (is_clean(&repository)? && submodules_are_intact(&repository)?))
    };
    check().unwrap_or(false)
}

fn is_clean(repository: &Repository) -> std::result::Result<bool, git2::Error> {
    let mut options = StatusOptions::new();
    options.include_untracked(true).include_ignored(true).exclude_submodules(true);
    Ok(repository.statuses(Some(&mut options))?.is_empty())
}

fn submodules_are_intact(repository: &Repository) -> std::result::Result<bool, git2::Error> {
    let Some(root) = repository.workdir() else { return Ok(false) };
    Ok(repository.submodules()?.iter().all(|module| {
        let wanted = module.index_id().filter(|_| module.update_strategy() != SubmoduleUpdate::None);
        let unmapped = module.opt_url_bytes().is_none();
        wanted.is_none() || unmapped || is_intact(&root.join(module.path()), wanted, true)
    }))
}

/// A repository in `tree` at a commit of `url`, with its submodules.
fn check_out(
    sources: &Sources<'_>,
    readers: CloneReaders,
    url: &str,
    commit: Oid,
    tree: &Path,
    depth: usize,
) -> Result<()> {
    sources.stop_if_interrupted()?;
    let repository = borrow(sources, readers, url, commit, tree)?;
    sources.progress.stage(&format!("checking out {} at {}", redact(url), &commit.to_string()[..12]));
    let failed =
        |error: git2::Error| miette!("cannot check out {commit} of {}: {}", redact(url), redact(error.message()));
    let mut options = CheckoutBuilder::new();
    options.force().progress(|_, done, total| sources.progress.at(done as u64, total as u64));
    let object = repository.find_object(commit, None).map_err(failed)?;
    repository.checkout_tree(&object, Some(&mut options)).map_err(failed)?;
    repository.set_head_detached(commit).map_err(failed)?;
    drop(options);
    check_out_submodules(sources, readers, url, &repository, depth)
}

/// An empty repository that finds its objects in the bare clone, which is brought to have the commit.
fn borrow(sources: &Sources<'_>, readers: CloneReaders, url: &str, commit: Oid, tree: &Path) -> Result<Repository> {
    let mut cache = Cache::open(sources, url)?;
    let has = |cache: &Cache<'_>| cache.repository().map(|repository| repository.find_commit(commit).is_ok());
    if !has(&cache)? {
        cache.refresh()?;
    }
    if !has(&cache)? {
        cache.ask_for(commit)?;
    }
    let bare = cache.repository()?;
    bare.find_commit(commit).map_err(|_| revision::missing(&bare, url, &commit.to_string()))?;
    if readers == CloneReaders::Everyone {
        cache.open_to_others()?;
    }
    let failed = |error: String| miette!("cannot make the repository {}: {error}", tree.display());
    init(tree, url).map_err(|error| failed(error.message().to_owned()))?;
    lend(&bare, &cache.objects(), &tree.join(".git")).map_err(|error| failed(error.to_string()))?;
    Repository::open(tree).map_err(|error| failed(error.message().to_owned()))
}

fn init(tree: &Path, url: &str) -> std::result::Result<(), git2::Error> {
    let mut options = RepositoryInitOptions::new();
    options.external_template(false).mkpath(true);
    let repository = Repository::init_opts(tree, &options)?;
    let mut config = repository.config()?;
    config.set_str("remote.origin.url", &without_secrets(url))?;
    // The same bytes whatever the user's own settings are.
    config.set_str("core.autocrlf", "false")?;
    config.set_i32("gc.auto", 0)
}

/// Objects by reference, tags by copy (version plugins count from them), and where a shallow history ends.
fn lend(bare: &Repository, objects: &Path, git: &Path) -> std::io::Result<()> {
    let info = git.join("objects/info");
    fs::create_dir_all(&info)?;
    let mut line = fs::canonicalize(objects)?.into_os_string().as_bytes().to_vec();
    line.push(b'\n');
    fs::write(info.join("alternates"), line)?;
    if bare.is_shallow() {
        fs::copy(bare.path().join("shallow"), git.join("shallow"))?;
    }
    fs::write(git.join("packed-refs"), packed_tags(bare))
}

fn packed_tags(bare: &Repository) -> Vec<u8> {
    let mut tags: Vec<(Vec<u8>, Oid)> = Vec::new();
    for tag in bare.references_glob("refs/tags/*").into_iter().flatten().flatten() {
        tags.extend(tag.target().map(|target| (tag.name_bytes().to_vec(), target)));
    }
    tags.sort();
    let mut text = b"# pack-refs with: sorted \n".to_vec();
    for (name, target) in tags {
        text.extend_from_slice(format!("{target} ").as_bytes());
        text.extend_from_slice(&name);
        text.push(b'\n');
    }
    text
}

fn check_out_submodules(
    sources: &Sources<'_>,
    readers: CloneReaders,
    url: &str,
    repository: &Repository,
    depth: usize,
) -> Result<()> {
    let failed =
        |error: git2::Error| miette!("cannot read the submodules of {}: {}", redact(url), redact(error.message()));
    let Some(root) = repository.workdir().map(Path::to_owned) else { return Ok(()) };
    let modules = repository.submodules().map_err(failed)?;
    if depth >= MAX_DEPTH && !modules.is_empty() {
        return Err(miette!("the submodules of {} are nested more than {MAX_DEPTH} deep", redact(url)));
    }
    for module in modules {
        let Some(commit) = module.index_id().filter(|_| module.update_strategy() != SubmoduleUpdate::None) else {
            continue;
        };
        let Some(named) = module.opt_url_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned()) else {
            continue;
        };
        let place = root.join(module.path());
        let module_url = address_of(sources, url, &named, module.path())?;
        check_out(sources, readers, &module_url, commit, &place, depth + 1)
            .map_err(|error| in_submodule(&error, url, module.path()))?;
    }
    Ok(())
}

/// Only the user can allow local files: a repository could name any folder that parade's user can read, and have its files given
/// to the user that runs the tests.
fn address_of(sources: &Sources<'_>, parent: &str, named: &str, path: &Path) -> Result<String> {
    let shown = || format!("submodule {} of {}", path.display(), redact(parent));
    let url = submodule_url(parent, named)
        .ok_or_else(|| miette!("the {} has the URL {:?}, which does not exist", shown(), redact(named)))?;
    if !may_refer_to(parent, &url) {
        return Err(miette!(
            "the {} points into this machine's files, at {:?}; a remote repository may not do that",
            shown(),
            redact(&url)
        ));
    }
    if leads_to_files(&sources.network, &url) && !sources.network.allows_local_submodules() {
        let help = "git refuses this too. If you trust the repository: git config --global protocol.file.allow always";
        return Err(miette!(help = help, "the {} is a folder of this machine: {:?}", shown(), redact(&url)));
    }
    Ok(url)
}

/// A mirror on this machine is the user's own choice, but what is asked of it must not lead out of it.
fn leads_to_files(network: &Network, url: &str) -> bool {
    let climbs = || url.split('/').any(|part| part == "..");
    is_local(url) || (climbs() && is_local(&network.effective_url(url)))
}

fn in_submodule(error: &miette::Report, url: &str, path: &Path) -> miette::Report {
    let help =
        error.help().map_or_else(|| "without it the subject cannot be built".to_owned(), |help| help.to_string());
    miette!(help = help, "submodule {} of {}: {error}", path.display(), redact(url))
}

#[cfg(test)]
mod tests;
