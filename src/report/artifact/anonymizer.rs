//! Takes out of texts what would tell reviewers who the authors are: names of hosts and users, who git says they are, paths.
//!
//! A name is replaced where it stands as a word of its own, and not at all if it is a word that machines and users are
//! commonly called by. Any absolute path below a usual top folder is replaced whole. Addresses of subjects stay.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use crate::store::{
    self,
    record::{RunData, RunManifest},
};

/// Names that tell nothing, and that texts are full of.
const COMMON: [&str; 20] = [
    "root",
    "user",
    "users",
    "localhost",
    "host",
    "admin",
    "nobody",
    "runner",
    "ubuntu",
    "debian",
    "fedora",
    "docker",
    "container",
    "build",
    "builder",
    "test",
    "tests",
    "home",
    "work",
    "worker",
];
/// A shorter name would be found inside ordinary words.
const SHORTEST_NAME: usize = 3;
/// Top folders of machines; what begins otherwise is rarely a path, and tells nothing.
const ROOTS: [&str; 22] = [
    "home",
    "root",
    "Users",
    "tmp",
    "var",
    "opt",
    "usr",
    "etc",
    "mnt",
    "media",
    "srv",
    "data",
    "work",
    "workspace",
    "scratch",
    "nfs",
    "run",
    "private",
    "builds",
    "proc",
    "sys",
    "dev",
];
const PATH: &str = "(path)";

/// What is looked for, and what stands there instead.
#[derive(Debug, Clone, Default)]
pub(super) struct Anonymizer {
    /// Longest first.
    words: Vec<(String, String)>,
    /// Names of hosts in the order in which they are numbered, common ones too.
    hosts: Vec<String>,
    /// Top folders, usual ones and this machine's.
    roots: BTreeSet<String>,
    /// Addresses that stay as they are.
    kept: Vec<String>,
    /// Names of tests that would have been changed, a few of them.
    tests: RefCell<BTreeSet<String>>,
}

impl Anonymizer {
    /// For a run, made on this machine by this user. `folders` are further paths that might be named.
    pub fn of(run: &RunData, remote: &[String], folders: &[&Path]) -> Self {
        let mut veil = Anonymizer { roots: roots(), kept: remote.to_vec(), ..Anonymizer::default() };
        for host in hosts(&run.manifest, &run.environment.hostname) {
            veil.add_host(&host);
        }
        for (number, merged) in run.manifest.merged.iter().enumerate() {
            veil.add(&merged.run, &format!("run-{}", number + 1));
        }
        people().iter().for_each(|name| veil.add_name(name));
        for folder in folders.iter().filter_map(|folder| folder.to_str()).filter(|text| text.len() > 1) {
            veil.add(folder, PATH);
        }
        veil.words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        veil
    }

    fn add_host(&mut self, host: &str) {
        if host.is_empty() || self.hosts.iter().any(|known| known == host) {
            return;
        }
        self.hosts.push(host.to_owned());
        let replacement = format!("machine-{}", self.hosts.len());
        let short = host.split('.').next().unwrap_or(host).to_owned();
        let in_folders: String =
            host.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        for form in [host.to_owned(), short, in_folders] {
            if is_telling(&form) {
                self.add(&form, &replacement);
            }
        }
    }

    fn add_name(&mut self, name: &str) {
        if is_telling(name) {
            self.add(name, "someone");
        }
    }

    fn add(&mut self, word: &str, replacement: &str) {
        if !word.is_empty() && !self.words.iter().any(|(known, _)| known == word) {
            self.words.push((word.to_owned(), replacement.to_owned()));
        }
    }

    /// A text, and the key that JSON has it under: there, a host is a host whatever it is called.
    pub fn over(&self, key: Option<&str>, text: &str) -> String {
        match key {
            Some(store::TEST | "modules") => {
                self.look_at_test(text);
                text.to_owned()
            }
            Some("host" | "hostname") => text.split(", ").map(|host| self.host(host)).collect::<Vec<_>>().join(", "),
            _ => self.text(text),
        }
    }

    /// The name of a test has to be that of the bundled suite, and stays.
    fn look_at_test(&self, text: &str) {
        const KEPT: usize = 3;
        let mut tests = self.tests.borrow_mut();
        if tests.len() < KEPT && self.text(text) != text {
            tests.insert(text.to_owned());
        }
    }

    /// What names of tests still tell.
    pub fn told_by_tests(&self) -> Option<String> {
        let tests = self.tests.borrow();
        let named: Vec<String> = tests.iter().map(|test| format!("`{}`", crate::shown_text::shown(test))).collect();
        (!named.is_empty()).then(|| {
            format!("test names are kept unchanged, and some contain your name or a path: {}", named.join(", "))
        })
    }

    fn host(&self, host: &str) -> String {
        match self.hosts.iter().position(|known| known == host) {
            Some(number) => format!("machine-{}", number + 1),
            None => self.text(host),
        }
    }

    pub fn text(&self, text: &str) -> String {
        let Some((at, address)) = self.next_kept(text) else { return self.plain(text) };
        let rest = &text[at + address.len()..];
        format!("{}{address}{}", self.plain(&text[..at]), self.text(rest))
    }

    fn next_kept<'a>(&'a self, text: &str) -> Option<(usize, &'a str)> {
        self.kept.iter().filter_map(|address| Some((text.find(address)?, address.as_str()))).min_by_key(|(at, _)| *at)
    }

    fn plain(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (word, replacement) in &self.words {
            if text.contains(word) {
                text = replaced(&text, word, replacement);
            }
        }
        if text.contains('/') { self.without_paths(&text) } else { text }
    }

    fn without_paths(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('/') {
            let before = rest[..at].chars().next_back().or(out.chars().next_back());
            let length = self.path_length(&rest[at..]);
            let begins = !before.is_some_and(continues_path);
            let is_web = ["http:", "https:", "ssh:", "git:"].iter().any(|scheme| rest[..at].ends_with(scheme));
            out += &rest[..at];
            if length > 0 && begins && !is_web {
                out += PATH;
                rest = &rest[at + length..];
            } else {
                let slashes = rest[at..].len() - rest[at..].trim_start_matches('/').len();
                out += &rest[at..at + slashes];
                rest = &rest[at + slashes..];
            }
        }
        out + rest
    }

    /// How much of a text that begins with a slash is a path of some machine; 0 if it is none.
    fn path_length(&self, text: &str) -> usize {
        let after = text.trim_start_matches('/');
        let top: String = after.chars().take_while(|c| is_path_character(*c) && *c != '/').collect();
        if !self.roots.contains(&top) {
            return 0;
        }
        let end = after.find(|c| !is_path_character(c)).unwrap_or(after.len());
        // A full stop or colon at the end belongs to the sentence.
        let path = after[..end].trim_end_matches(['.', ':', ',']);
        text.len() - after.len() + path.len()
    }

    /// What of this is still in some bytes.
    pub fn found_in(&self, bytes: &[u8]) -> Option<&str> {
        let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        self.words.iter().map(|(word, _)| word.as_str()).find(|word| holds(word))
    }
}

fn is_path_character(c: char) -> bool {
    !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | ';' | ',' | '`' | '=' | '…')
}

fn is_telling(name: &str) -> bool {
    name.chars().count() >= SHORTEST_NAME && !COMMON.contains(&name.to_lowercase().as_str())
}

/// Where the word stands by itself. Paths and addresses of mail are such words too.
fn replaced(text: &str, word: &str, replacement: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let before = rest[..at].chars().next_back().or(out.chars().next_back().filter(|_| at == 0));
        let after = rest[at + word.len()..].chars().next();
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
        let (starts, ends) = (word.starts_with(char::is_alphanumeric), word.ends_with(char::is_alphanumeric));
        let is_part = if word.starts_with('/') {
            before.is_some_and(continues_path) || goes_on(&rest[at + word.len()..])
        } else {
            (starts && joins(before)) || (ends && joins(after))
        };
        out += &rest[..at];
        out += if is_part { word } else { replacement };
        rest = &rest[at + word.len()..];
    }
    out + rest
}

/// Is what follows this character no beginning of a path, but more of one?
fn continues_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | ')' | '~' | '/')
}

/// Does a path's last component go on here? A full stop may be the sentence's.
fn goes_on(rest: &str) -> bool {
    match rest.trim_start_matches('.').chars().next() {
        Some('/' | ':') | None => false,
        Some(c) => is_path_character(c),
    }
}

fn hosts(manifest: &RunManifest, hostname: &str) -> Vec<String> {
    let merged = manifest.merged.iter().flat_map(|run| [run.host.clone(), run.environment.hostname.clone()]);
    let own = [manifest.host.as_str(), hostname].map(str::to_owned).into_iter().filter(|_| manifest.merged.is_empty());
    let here = crate::store::capture_environment().hostname;
    merged.chain(own).chain([here]).collect()
}

/// Who this is, as the machine and git know it.
fn people() -> Vec<String> {
    let mut names: Vec<String> =
        ["USER", "LOGNAME", "SUDO_USER"].iter().filter_map(|name| std::env::var(name).ok()).collect();
    let home = std::env::var("HOME").ok();
    names.extend(home.and_then(|home| Some(Path::new(&home).file_name()?.to_str()?.to_owned())));
    let uid = rustix::process::getuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mine = accounts
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2) == Some(&uid.as_str()));
    names.extend(mine.into_iter().flat_map(|fields| {
        let full_name = fields.get(4).and_then(|gecos| gecos.split(',').next());
        [fields.first().copied(), full_name].into_iter().flatten().map(str::to_owned).collect::<Vec<_>>()
    }));
    names.extend(crate::subject::git_author());
    names
}

fn roots() -> BTreeSet<String> {
    let here = std::fs::read_dir("/").into_iter().flatten().flatten();
    let here = here.filter_map(|entry| entry.file_name().into_string().ok());
    here.chain(ROOTS.map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn veil() -> Anonymizer {
        let mut veil = Anonymizer { roots: ROOTS.map(str::to_owned).into(), ..Anonymizer::default() };
        veil.kept = vec!["https://example.org/lovelace/engine".to_owned()];
        veil.add_host("lab-7.example.org");
        veil.add_host("vm");
        veil.add_name("lovelace");
        veil.add_name("root");
        veil.add("/home/Ada Love", PATH);
        veil.words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        veil
    }

    #[test]
    fn names_are_replaced_where_they_are_words() {
        let veil = veil();
        assert_eq!(veil.text("lovelace ran it on lab-7: lovelaces"), "someone ran it on machine-1: lovelaces");
        assert_eq!(veil.text("lab-7.example.org 20260101T000000Z-lab-7"), "machine-1 20260101T000000Z-machine-1");
        assert_eq!(veil.text("the root of a vm"), "the root of a vm");
    }

    #[test]
    fn a_host_is_a_host_where_a_record_says_so() {
        assert_eq!(veil().over(Some("host"), "vm, lab-7.example.org"), "machine-2, machine-1");
        assert_eq!(veil().over(Some("virtualization"), "vm"), "vm");
    }

    #[test]
    fn paths_go_and_what_only_looks_like_one_stays() {
        let veil = veil();
        let texts = [
            ("no file /home/x/.m2/repo.jar: gone", "no file (path): gone"),
            ("file:///tmp/junit1/a.txt.", "file:(path)."),
            ("at (/root/w/Foo.java:3)", "at ((path))"),
            ("in \"/var/lib\" and '/home/Ada Love/x'", "in \"(path)\" and '(path)/x'"),
            ("expected /a/b but was 1/2 and/or <x/>", "expected /a/b but was 1/2 and/or <x/>"),
            ("https://home/x and src/main/home/x", "https://home/x and src/main/home/x"),
            ("/", "/"),
            ("a=/opt/jdk;/usr/bin", "a=(path);(path)"),
        ];
        for (text, expected) in texts {
            assert_eq!(veil.text(text), expected);
        }
    }

    #[test]
    fn a_folder_is_replaced_as_a_whole_or_not_at_all() {
        let mut veil = veil();
        veil.add("/root", PATH);
        let texts = [
            ("bundled/root-abs.model.toml", "bundled/root-abs.model.toml"),
            ("/root-abs /rooted /root.d", "/root-abs /rooted /root.d"),
            ("in /root: '/root' and /root.", "in (path): '(path)' and (path)."),
            ("x=/root/w", "x=(path)/w"),
        ];
        for (text, expected) in texts {
            assert_eq!(veil.text(text), expected);
        }
    }

    #[test]
    fn names_of_tests_stay_and_are_told() {
        let veil = veil();
        assert_eq!(veil.told_by_tests(), None);
        assert_eq!(veil.over(Some(store::TEST), "lovelace.StockTest#fills"), "lovelace.StockTest#fills");
        assert!(veil.told_by_tests().unwrap().contains("`lovelace.StockTest#fills`"));
    }

    #[test]
    fn addresses_of_subjects_stay() {
        assert_eq!(
            veil().text("lovelace cloned https://example.org/lovelace/engine to /tmp/x"),
            "someone cloned https://example.org/lovelace/engine to (path)"
        );
    }

    #[test]
    fn what_is_still_there_is_found() {
        assert_eq!(veil().found_in(b"x lovelace y"), Some("lovelace"));
        assert_eq!(veil().found_in(b"nobody"), None);
    }
}
