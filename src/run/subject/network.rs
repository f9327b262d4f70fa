//! How patient parade is with git servers, and which git configuration it obeys.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use git2::{Config, ConfigLevel, Repository};
use miette::{Result, miette};

use crate::redaction::redact;

/// Settings for everything that goes over a network.
#[derive(Debug, Clone)]
pub struct Network {
    /// A server that sends nothing for this long is given up.
    pub patience: Duration,
    /// How often a dropped connection is tried again.
    pub retries: u32,
    /// Before the first retry; each next one waits as long again.
    pub pause: Duration,
    /// Stands for the user's own git configuration, as `GIT_CONFIG_GLOBAL` does.
    pub git_config: Option<PathBuf>,
}

impl Default for Network {
    fn default() -> Self {
        Network { patience: Duration::from_secs(60), retries: 2, pause: Duration::from_secs(1), git_config: None }
    }
}

impl Network {
    /// `PARADE_GIT_TIMEOUT` in seconds, and git's own `GIT_CONFIG_GLOBAL`.
    pub fn from_environment() -> Result<Self> {
        Self::from_variables(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn from_variables(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let mut network = Network { git_config: variable("GIT_CONFIG_GLOBAL").map(PathBuf::from), ..Self::default() };
        if let Some(text) = variable("PARADE_GIT_TIMEOUT") {
            network.patience = parse_seconds(&text)?;
        }
        Ok(network)
    }

    /// The configuration that git would use in this repository, environment included, which libgit2 leaves out.
    pub(super) fn config(&self, repository: Option<&Path>) -> std::result::Result<Config, git2::Error> {
        let mut config = Config::new()?;
        let mut add = |path: Option<PathBuf>, level| match path.filter(|path| path.is_file()) {
            Some(path) => config.add_file(&path, level, true),
            None => Ok(()),
        };
        add(system_config(), ConfigLevel::System)?;
        match &self.git_config {
            Some(path) => add(Some(path.clone()), ConfigLevel::Global)?,
            None => {
                add(Config::find_xdg().ok(), ConfigLevel::XDG)?;
                add(Config::find_global().ok(), ConfigLevel::Global)?;
            }
        }
        add(repository.map(|path| path.join("config")), ConfigLevel::Local)?;
        Ok(config)
    }

    /// Where git's `url.<base>.insteadOf` sends a url. libgit2 does the same when it connects; this is for knowing it.
    pub(super) fn effective_url(&self, url: &str) -> String {
        let longest = self.config(None).ok().and_then(|config| longest_rule(&config, url));
        longest.map_or_else(|| url.to_owned(), |(prefix, base)| format!("{base}{}", &url[prefix.len()..]))
    }

    /// May a repository name folders of this machine as its submodules? As with git itself, only if the user says so.
    pub(super) fn allows_local_submodules(&self) -> bool {
        let set = |name: &str| self.config(None).ok()?.get_string(name).ok();
        set("protocol.file.allow").or_else(|| set("protocol.allow")).is_some_and(|allowed| allowed == "always")
    }

    /// A url as users may see it, with the mirror that it is sent to.
    pub(super) fn shown(&self, url: &str) -> String {
        let effective = self.effective_url(url);
        match effective == url {
            true => redact(url),
            false => format!("{} (by git's insteadOf: {})", redact(url), redact(&effective)),
        }
    }

    /// A bare repository that obeys [`Network::config`].
    pub(super) fn open_bare(&self, path: &Path) -> std::result::Result<Repository, git2::Error> {
        let repository = Repository::open_bare(path)?;
        repository.set_config(&self.config(Some(path))?)?;
        Ok(repository)
    }

    /// Settings that libgit2 has once per process.
    pub(super) fn prepare_libgit2(&self) {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // Longer than our own patience, so that it is the watchdog that speaks; this one only ends the thread.
            let milliseconds = i32::try_from((self.patience * 2).as_millis()).unwrap_or(i32::MAX);
            set_process_wide(milliseconds, self.certificates().as_deref());
        });
    }

    /// The authorities that git is told to trust, e.g. for a lab's own mirror.
    fn certificates(&self) -> Option<PathBuf> {
        let from_config = || self.config(None).ok()?.get_path("http.sslCAInfo").ok();
        std::env::var_os("GIT_SSL_CAINFO").map(PathBuf::from).or_else(from_config)
    }
}

/// The longest prefix of the url that is to be replaced, and by what.
fn longest_rule(config: &Config, url: &str) -> Option<(String, String)> {
    let mut longest: Option<(String, String)> = None;
    let entries = config.entries(Some("url\\..*\\.insteadof")).ok()?;
    let visited = entries.for_each(|entry| {
        let (Ok(name), Ok(prefix)) = (entry.name(), entry.value()) else { return };
        let base = name.strip_prefix("url.").and_then(|name| name.strip_suffix(".insteadof"));
        let longer = longest.as_ref().is_none_or(|(known, _)| prefix.len() > known.len());
        if let Some(base) = base.filter(|_| longer && !prefix.is_empty() && url.starts_with(prefix)) {
            longest = Some((prefix.to_owned(), base.to_owned()));
        }
    });
    visited.ok().and(longest)
}

fn parse_seconds(text: &str) -> Result<Duration> {
    match text.trim().parse::<u32>() {
        Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds.into())),
        _ => Err(miette!(
            help = "for example PARADE_GIT_TIMEOUT=120",
            "PARADE_GIT_TIMEOUT is {text:?}, not a number of seconds"
        )),
    }
}

fn system_config() -> Option<PathBuf> {
    let skipped = std::env::var("GIT_CONFIG_NOSYSTEM").is_ok_and(|value| Config::parse_bool(value).unwrap_or(true));
    if skipped {
        return None;
    }
    std::env::var_os("GIT_CONFIG_SYSTEM").map(PathBuf::from).or_else(|| Config::find_system().ok())
}

/// Failures leave libgit2 as it was: less patient or more careful, never wrong.
#[expect(unsafe_code, reason = "libgit2's process-wide options are plain C globals")]
fn set_process_wide(timeout_milliseconds: i32, certificates: Option<&Path>) {
    // SAFETY: called once, from inside a `Once` that every use of libgit2 in this crate passes first, so nothing reads
    // these globals yet.
    unsafe {
        let _ = git2::opts::set_server_connect_timeout_in_milliseconds(timeout_milliseconds);
        let _ = git2::opts::set_server_timeout_in_milliseconds(timeout_milliseconds);
        // The check keeps git from running what a stranger's repository configures. libgit2 runs nothing from there,
        // and subjects often lie in folders that another user owns.
        let _ = git2::opts::set_verify_owner_validation(false);
        if let Some(file) = certificates {
            let _ = git2::opts::set_ssl_cert_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &'static str) -> Result<Network> {
        Network::from_variables(&|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn patience_is_a_positive_number_of_seconds() {
        assert_eq!(with("PARADE_GIT_TIMEOUT", "5").unwrap().patience, Duration::from_secs(5));
        for wrong in ["0", "-1", "soon", "1e9999"] {
            let message = with("PARADE_GIT_TIMEOUT", wrong).unwrap_err().to_string();
            assert!(message.contains(wrong), "{message}");
        }
    }

    #[test]
    fn the_longest_rule_wins_and_is_the_one_that_libgit2_takes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gitconfig");
        let rules = "[url \"/All.Of/it/\"]\n\tinsteadOf = https://h/\n[url \"/some/\"]\n\tinsteadOf = https://h/a/\n\tinsteadOf = x:\n";
        std::fs::write(&file, rules).unwrap();
        let network = Network { git_config: Some(file), ..Network::default() };
        git2::Repository::init_bare(folder.path().join("bare")).unwrap();
        let repository = network.open_bare(&folder.path().join("bare")).unwrap();
        for (url, expected) in [
            ("https://h/b", "/All.Of/it/b"),
            ("https://h/a/b", "/some/b"),
            ("x:y", "/some/y"),
            ("https://g/", "https://g/"),
        ] {
            assert_eq!(network.effective_url(url), expected);
            assert_eq!(repository.remote_anonymous(url).unwrap().url().unwrap(), expected);
        }
    }

    #[test]
    fn the_configuration_of_the_environment_is_obeyed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gitconfig");
        std::fs::write(&file, "[some]\n\tthing = yes\n").unwrap();
        let network = Network { git_config: Some(file), ..Network::default() };
        assert_eq!(network.config(None).unwrap().get_string("some.thing").unwrap(), "yes");
    }
}
