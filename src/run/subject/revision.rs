//! What a revision names: a commit by its full or short hash, a tag, a branch. Anything that could mean two commits is
//! an error, as is what names none; git's own preferences would make an experiment depend on what else is in a repository.

use git2::{ErrorCode, ObjectType, Oid, Reference, Repository};
use miette::{Result, miette};

use crate::redaction::redact;

const SHORTEST_HASH: usize = 4;
const FULL_HASH: usize = 40;
const MAX_SUGGESTIONS: usize = 5;

/// One way to read a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reading {
    /// E.g. `refs/tags/v1` or the full hash: what to write to mean this one.
    name: String,
    commit: Oid,
    /// A branch: what it names changes.
    moves: bool,
}

/// The commit, if it can be told for certain without asking the origin: hashes and tags can, branches cannot.
pub(super) fn settled(repository: &Repository, revision: &str) -> Option<Oid> {
    let readings = readings(repository, revision);
    let first = readings.first()?;
    readings.iter().all(|reading| !reading.moves && reading.commit == first.commit).then_some(first.commit)
}

/// The commit that a revision names, or nothing.
pub(super) fn find(repository: &Repository, url: &str, revision: &str) -> Result<Option<Oid>> {
    let readings = readings(repository, revision);
    match readings.as_slice() {
        [] => Ok(None),
        [first, rest @ ..] if rest.iter().all(|other| other.commit == first.commit) => Ok(Some(first.commit)),
        several => {
            let names: Vec<&str> = several.iter().take(MAX_SUGGESTIONS).map(|reading| reading.name.as_str()).collect();
            let help = format!("write one of: {}", names.join(", "));
            Err(miette!(
                help = help,
                "{revision:?} is ambiguous in {}: it names {} commits",
                redact(url),
                several.len()
            ))
        }
    }
}

/// The error for a revision that names nothing.
pub(super) fn missing(repository: &Repository, url: &str, revision: &str) -> miette::Report {
    let near = near_matches(repository, revision);
    let help = match near.as_slice() {
        [] => "give a full or short commit hash, a tag or a branch".to_owned(),
        near => format!("did you mean {}?", near.join(", or ")),
    };
    miette!(help = help, "{} has no commit, tag or branch {revision:?}", redact(url))
}

/// Is it a full hash, for which an origin can be asked?
pub(super) fn as_full_hash(revision: &str) -> Option<Oid> {
    (revision.len() == FULL_HASH && is_hexadecimal(revision)).then(|| Oid::from_str(revision).ok()).flatten()
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn readings(repository: &Repository, revision: &str) -> Vec<Reading> {
    let mut readings: Vec<Reading> =
        reference_names(revision).iter().filter_map(|name| read_reference(repository, name)).collect();
    if readings.is_empty() {
        let remote = format!("refs/remotes/origin/{revision}");
        readings.extend(read_reference(repository, &remote));
    }
    let hashes = commits_with_prefix(repository, revision);
    readings.extend(hashes.into_iter().map(|commit| Reading { name: commit.to_string(), commit, moves: false }));
    readings
}

fn reference_names(revision: &str) -> Vec<String> {
    match revision {
        "HEAD" => vec!["refs/parade/HEAD".to_owned()],
        full if full.starts_with("refs/") => vec![full.to_owned()],
        short => ["tags", "heads", "remotes"].iter().map(|kind| format!("refs/{kind}/{short}")).collect(),
    }
}

fn read_reference(repository: &Repository, name: &str) -> Option<Reading> {
    if !Reference::is_valid_name(name) {
        return None;
    }
    let commit = repository.find_reference(name).ok()?.peel_to_commit().ok()?.id();
    Some(Reading { name: name.to_owned(), commit, moves: !name.starts_with("refs/tags/") })
}

fn commits_with_prefix(repository: &Repository, revision: &str) -> Vec<Oid> {
    if !is_hexadecimal(revision) || !(SHORTEST_HASH..=FULL_HASH).contains(&revision.len()) {
        return Vec::new();
    }
    let prefix = revision.to_ascii_lowercase();
    match repository.find_object_by_prefix(&prefix, None) {
        Ok(object) => object.peel_to_commit().map(|commit| commit.id()).into_iter().collect(),
        Err(error) if error.code() == ErrorCode::Ambiguous => commits_among(repository, &prefix),
        Err(_) => Vec::new(),
    }
}

/// Several objects share the prefix; only commits count.
fn commits_among(repository: &Repository, prefix: &str) -> Vec<Oid> {
    let Ok(odb) = repository.odb() else { return Vec::new() };
    let mut found = Vec::new();
    let walked = odb.foreach(|id| {
        if id.to_string().starts_with(prefix) {
            found.push(*id);
        }
        true
    });
    if walked.is_err() {
        return Vec::new();
    }
    found.retain(|id| odb.read_header(*id).is_ok_and(|(_, kind)| kind == ObjectType::Commit));
    found.sort_unstable();
    found.dedup();
    found
}

fn near_matches(repository: &Repository, revision: &str) -> Vec<String> {
    let wanted = revision.to_lowercase();
    let mut near: Vec<(usize, String)> = Vec::new();
    for name in short_names(repository) {
        let distance = edit_distance(&wanted, &name.to_lowercase());
        let contains = wanted.len() >= 3 && name.to_lowercase().contains(&wanted);
        if contains || distance * 2 <= wanted.chars().count() {
            near.push((distance, name));
        }
    }
    near.sort();
    near.dedup();
    let mut names: Vec<String> = near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect();
    names.extend(nearest_commit(repository, revision));
    names
}

fn short_names(repository: &Repository) -> Vec<String> {
    let mut names = Vec::new();
    for pattern in ["refs/tags/*", "refs/heads/*"] {
        let Ok(references) = repository.references_glob(pattern) else { continue };
        let short = |reference: Reference<'_>| reference.shorthand().ok().map(str::to_owned);
        names.extend(references.flatten().filter_map(short));
    }
    names
}

/// The one commit that shares the longest beginning with a mistyped hash.
fn nearest_commit(repository: &Repository, revision: &str) -> Option<String> {
    if !is_hexadecimal(revision) || revision.len() > FULL_HASH {
        return None;
    }
    let lengths = (SHORTEST_HASH..revision.len()).rev();
    let mut commits = lengths.filter_map(|length| repository.find_commit_by_prefix(&revision[..length]).ok());
    commits.next().map(|commit| commit.id().to_string())
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::super::test_repository::TestRepository;
    use super::*;

    fn found(repository: &TestRepository, revision: &str) -> Option<Oid> {
        find(&repository.git, "url", revision).unwrap()
    }

    #[test]
    fn hashes_tags_and_branches_are_found() {
        let repository = TestRepository::create();
        let first = repository.commit(&[("a", "1")]);
        repository.tag("light", first, false);
        repository.tag("annotated", first, true);
        let second = repository.commit(&[("a", "2")]);
        repository.branch("topic/x", second);
        for name in [&first.to_string(), &first.to_string()[..10], "light", "annotated", "refs/tags/light"] {
            assert_eq!(found(&repository, name), Some(first), "{name}");
            assert_eq!(settled(&repository.git, name), Some(first), "{name}");
        }
        assert_eq!(found(&repository, &first.to_string().to_uppercase()), Some(first));
        assert_eq!(found(&repository, "topic/x"), Some(second));
        assert_eq!(settled(&repository.git, "topic/x"), None, "a branch may have moved");
    }

    #[test]
    fn a_tag_and_a_branch_of_one_name_are_ambiguous_only_if_they_differ() {
        let repository = TestRepository::create();
        let first = repository.commit(&[("a", "1")]);
        let second = repository.commit(&[("a", "2")]);
        repository.tag("same", first, true);
        repository.branch("same", first);
        assert_eq!(found(&repository, "same"), Some(first));
        repository.tag("both", first, false);
        repository.branch("both", second);
        let report = find(&repository.git, "http://u:pw@h/x", "both").unwrap_err();
        let text = format!("{report:?}");
        assert!(text.contains("ambiguous") && text.contains("refs/tags/both") && !text.contains("pw"), "{text}");
    }

    #[test]
    fn a_short_hash_of_two_commits_is_ambiguous() {
        let repository = TestRepository::create();
        let mut seen = std::collections::BTreeMap::new();
        let (one, two) = loop {
            let id = repository.loose_commit(&format!("commit {}", seen.len()));
            if let Some(other) = seen.insert(id.to_string()[..4].to_owned(), id) {
                break (other, id);
            }
        };
        assert_ne!(one, two);
        let report = find(&repository.git, "url", &one.to_string()[..4]).unwrap_err();
        assert!(report.to_string().contains("2 commits"), "{report}");
    }

    #[test]
    fn a_short_hash_of_a_commit_and_a_file_is_the_commit() {
        let repository = TestRepository::create();
        let commit = repository.loose_commit("unique");
        let prefix = &commit.to_string()[..4];
        let hash = |text: &str| Oid::hash_object(ObjectType::Blob, text.as_bytes()).unwrap().to_string();
        let text = (0..).map(|number: u32| number.to_string()).find(|text| hash(text).starts_with(prefix)).unwrap();
        repository.git.odb().unwrap().write(ObjectType::Blob, text.as_bytes()).unwrap();
        assert_eq!(found(&repository, prefix), Some(commit));
    }

    #[test]
    fn what_is_missing_comes_with_near_matches() {
        let repository = TestRepository::create();
        let commit = repository.commit(&[("a", "1")]);
        repository.tag("v1.10.0", commit, false);
        for hostile in ["nope", "", "..", "refs/../x", "a b", "v1\0", "-x", "@{1}", ":/x"] {
            assert_eq!(found(&repository, hostile), None, "{hostile:?}");
        }
        let help = format!("{:?}", missing(&repository.git, "url", "v1.1.0"));
        assert!(help.contains("v1.10.0"), "{help}");
        let mistyped = format!("{}0000", &commit.to_string()[..6]);
        let help = format!("{:?}", missing(&repository.git, "url", &mistyped));
        assert!(help.contains(&commit.to_string()[..10]), "{help}");
    }

    #[test]
    fn distances_are_counted_in_edits() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("ä", "a"), 1);
    }
}
