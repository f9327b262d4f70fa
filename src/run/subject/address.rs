//! What can be said of a repository's address without asking anyone: is it local, what may be shown of it, where its
//! clone goes, what a submodule's relative url means. Rewriting by `insteadOf` is git's own business, not done here.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::redaction::without_secrets;
use crate::wording::hex;

/// A path or `file://` url: no network between it and us.
pub fn is_local(url: &str) -> bool {
    if url.contains("://") {
        return url.starts_with("file://");
    }
    match url.find(':') {
        Some(colon) => url[..colon].contains('/'),
        None => true,
    }
}

/// The path of a local address.
pub fn local_path(url: &str) -> Option<PathBuf> {
    if !is_local(url) {
        return None;
    }
    let Some(encoded) = url.strip_prefix("file://") else { return Some(url.into()) };
    let encoded = encoded.strip_prefix("localhost").unwrap_or(encoded).as_bytes();
    let mut path = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while let Some(byte) = encoded.get(at) {
        let digits = encoded.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        path.push(escaped.unwrap_or(*byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    Some(OsString::from_vec(path).into())
}

/// What libgit2 is given. It takes every path with a colon for an ssh address, so such a path becomes a `file://` url.
pub fn for_libgit2(url: &str) -> String {
    if !is_local(url) || !url.contains(':') || url.starts_with("file://") {
        return url.to_owned();
    }
    let escape = |byte: u8| match byte {
        b'/' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        other if other.is_ascii_alphanumeric() => char::from(other).to_string(),
        other => format!("%{other:02X}"),
    };
    let path: String = url.bytes().map(escape).collect();
    format!("file://{path}")
}

/// The name of the folder for a url's clone: readable, and different for every url.
pub fn folder_name(url: &str) -> String {
    let plain = without_secrets(url);
    let trimmed = plain.trim_end_matches('/');
    let trimmed = trimmed.strip_suffix(".git").unwrap_or(trimmed).trim_end_matches('/');
    let tail: Vec<&str> = trimmed.rsplit(['/', ':']).take(2).collect();
    let words: Vec<String> = tail.iter().rev().map(|part| slug(part)).filter(|part| !part.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(48);
    let hash = hex(&Sha256::digest(trimmed.as_bytes())[..8]);
    format!("{}-{hash}", if name.is_empty() { "repository" } else { &name })
}

fn slug(text: &str) -> String {
    let mapped: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    mapped.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// A submodule's url, seen from the repository that names it. Relative ones start at the parent's own url.
pub fn submodule_url(parent: &str, url: &str) -> Option<String> {
    if !(url.starts_with("./") || url.starts_with("../")) {
        return Some(url.to_owned());
    }
    let mut base = parent.trim_end_matches('/');
    let mut separator = '/';
    let mut rest = url;
    loop {
        if let Some(next) = rest.strip_prefix("./") {
            rest = next;
        } else if let Some(next) = rest.strip_prefix("../") {
            rest = next;
            (base, separator) = parent_of(base)?;
        } else {
            return Some(format!("{base}{separator}{rest}"));
        }
    }
}

/// Cuts the last part off an address, but never its host.
fn parent_of(base: &str) -> Option<(&str, char)> {
    let host_end = base.find("://").map_or(0, |at| at + 3);
    let tail = &base[host_end..];
    match tail.rfind('/') {
        Some(slash) => Some((&base[..host_end + slash], '/')),
        None if host_end == 0 => tail.rfind(':').map(|colon| (&base[..colon], ':')),
        None => None,
    }
}

/// May a repository at `parent` send us to the submodule at `url`? A remote one may not point into this machine's files.
pub fn may_refer_to(parent: &str, url: &str) -> bool {
    !is_local(url) || is_local(parent)
}

/// A relative path means the same from everywhere once it is absolute.
pub fn absolute(url: &str) -> String {
    if !is_local(url) || url.starts_with("file://") {
        return url.to_owned();
    }
    let absolute = std::path::absolute(Path::new(url));
    absolute.ok().and_then(|path| path.into_os_string().into_string().ok()).unwrap_or_else(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_have_no_secrets() {
        assert_eq!(folder_name("https://me:pw@host/a/x"), folder_name("https://host/a/x.git/"));
        assert!(!folder_name("https://secret@host/x").contains("secret"));
        for url in ["https://h/x;password=s3cret", "https://h/x#access_token=s3cret", "https://h/x?%74oken=s3cret"] {
            assert!(!folder_name(url).contains("s3cret"), "{}", folder_name(url));
        }
    }

    #[test]
    fn folder_names_are_readable_distinct_and_safe() {
        let name = folder_name("https://github.com/apache/commons-io");
        assert!(name.starts_with("apache-commons-io-"), "{name}");
        assert_ne!(name, folder_name("https://example.org/apache/commons-io"));
        for hostile in ["", "..", "../../etc", "/", "a\0b", "https://ünï/ö"] {
            let name = folder_name(hostile);
            assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{name}");
        }
    }

    #[test]
    fn local_and_remote_addresses_are_told_apart() {
        for url in ["/a/b", "a/b", "./a:b", "/a:b", "file:///a", "here"] {
            assert!(is_local(url), "{url}");
        }
        for url in ["https://h/a", "ssh://h/a", "git@h:a", "h:a/b", "git://h/a"] {
            assert!(!is_local(url), "{url}");
        }
        assert_eq!(for_libgit2("/a:b/c d"), "file:///a%3Ab/c%20d");
        assert_eq!(for_libgit2("git@h:a"), "git@h:a");
        assert_eq!(local_path("file:///a%3Ab/c%20d%"), Some("/a:b/c d%".into()));
        assert_eq!(local_path("file://localhost/a"), Some("/a".into()));
        assert_eq!(local_path("https://h/a"), None);
    }

    #[test]
    fn relative_submodules_start_at_the_parent() {
        let cases = [
            ("https://h/a/b.git", "../c.git", Some("https://h/a/c.git")),
            ("https://h/a/b/", "./c", Some("https://h/a/b/c")),
            ("git@h:a/b", "../../x/y", Some("git@h:x/y")),
            ("/srv/git/a", "../b", Some("/srv/git/b")),
            ("https://h/a", "https://other/x", Some("https://other/x")),
            ("https://h/a", "../../../x", None),
        ];
        for (parent, url, expected) in cases {
            assert_eq!(submodule_url(parent, url).as_deref(), expected, "{parent} {url}");
        }
    }

    #[test]
    fn a_remote_repository_may_not_name_local_files() {
        assert!(!may_refer_to("https://h/a", "/etc"));
        assert!(!may_refer_to("https://h/a", "file:///etc"));
        assert!(may_refer_to("/srv/a", "/srv/b"));
        assert!(may_refer_to("/srv/a", "https://h/b"));
    }
}
