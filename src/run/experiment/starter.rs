//! An experiment file to start from: every key with a sentence about it, those that are needed with a value.
//!
//! What a subject is and where it lies is found out elsewhere; here is only the text.

use crate::toml_file::names::safe_name;

/// The subject of a file to start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// Any text; what is unsafe in a name is replaced.
    pub name: String,
    pub from: StarterOrigin,
    /// The root of the build, below the origin.
    pub directory: Option<String>,
    /// What to run of the build; all where there is none.
    pub modules: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StarterOrigin {
    Repository {
        url: String,
        commit: String,
    },
    /// A folder, with the commit that it is at and where else that can be had, where it is a repository.
    Folder {
        path: String,
        commit: Option<String>,
        remote: Option<String>,
    },
    Model {
        path: String,
    },
}

impl Starter {
    pub fn new(name: String, from: StarterOrigin) -> Self {
        Starter { name, from, directory: None, modules: Vec::new() }
    }

    /// The whole file.
    pub fn text(&self) -> String {
        let origin = self.origin();
        let mut text = TEMPLATE.replace("{NAME}", &self.subject());
        if let Some(directory) = &self.directory {
            text = text.replace(DIRECTORY, &format!("directory = {}", quoted(directory)));
        }
        if !self.modules.is_empty() {
            let modules: Vec<String> = self.modules.iter().map(|module| quoted(module)).collect();
            text = text.replace(MODULES, &format!("modules = [{}]", modules.join(", ")));
        }
        text.replace("{ORIGIN}", origin.trim_end())
    }

    /// The subject's name in the file.
    pub fn subject(&self) -> String {
        safe_name(&self.name)
    }

    fn origin(&self) -> String {
        match &self.from {
            StarterOrigin::Repository { url, commit } => format!(
                "git = {}\ncommit = {}            # hash, tag or branch; only a hash always means the same code\n",
                quoted(url),
                quoted(commit)
            ),
            StarterOrigin::Folder { path, commit: Some(commit), remote } => {
                let elsewhere = remote.as_ref().map(|url| {
                    format!(
                        "# git = {}   # for other people: use this instead of \
                        `path`\n",
                        quoted(url)
                    )
                });
                format!("path = {}\ncommit = {}\n{}", quoted(path), quoted(commit), elsewhere.unwrap_or_default())
            }
            StarterOrigin::Folder { path, commit: None, .. } => {
                format!(
                    "path = {}                # parade copies its current files and never writes to it\n",
                    quoted(path)
                )
            }
            StarterOrigin::Model { path } => format!("model = {}\n", quoted(path)),
        }
    }
}

/// A text as TOML has it between double quotes, which is as JSON has it: on one line, whatever is in it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Lines of the template that a build with a root or modules of its own replaces, up to their remarks.
const DIRECTORY: &str = "# directory = \"java\"";
const MODULES: &str = "# modules = [\"core\"]";
const TEMPLATE: &str = include_str!("starter.toml");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::raw::KINDS;

    #[test]
    fn every_key_is_described() {
        let text = Starter::new("x".into(), StarterOrigin::Model { path: "suite.toml".into() }).text();
        let origin_keys = ["git", "commit", "path", "model", "override", "generator", "timeout"];
        for kind in KINDS.iter().filter(|kind| kind.header != "[defaults]") {
            for key in kind.keys.iter().filter(|key| !origin_keys.contains(key)) {
                let described = |line: &str| line.trim_start_matches("# ").starts_with(&format!("{key} = "));
                assert!(text.lines().any(described), "`{key}` of {} is not described", kind.header);
            }
        }
    }

    #[test]
    fn whatever_a_subject_is_called_the_file_can_be_read() {
        let hostile = "a\"\n[[subject]]\nname = \"b\\";
        for from in [
            StarterOrigin::Repository { url: hostile.into(), commit: hostile.into() },
            StarterOrigin::Folder { path: hostile.into(), commit: Some(hostile.into()), remote: Some(hostile.into()) },
            StarterOrigin::Folder { path: hostile.into(), commit: None, remote: None },
        ] {
            let modules = vec![hostile.to_owned(), "core".to_owned()];
            let text = Starter { name: hostile.into(), from, directory: Some(hostile.into()), modules }.text();
            let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(table["subject"].as_array().map(Vec::len), Some(1), "{text}");
            assert_eq!(table["subject"][0]["directory"].as_str(), Some(hostile), "{text}");
            assert_eq!(table["subject"][0]["modules"].as_array().map(Vec::len), Some(2), "{text}");
        }
    }
}
