//! One fetch into a bare repository, watched. The network work happens on a thread of its own, since libgit2 cannot be
//! called off while it waits for a server: the caller's thread sees interrupts and silence at once, and leaves the other
//! behind to end by its socket's time-out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use git2::{
    AutotagOption, Error, ErrorClass, ErrorCode, FetchOptions, ProxyOptions, RemoteCallbacks, RemoteUpdateFlags,
};
use miette::{Report, miette};

use super::address::{for_libgit2, is_local};
use super::credentials::Credentials;
use super::network::Network;
use super::source::Sources;
use crate::redaction::redact;

/// How many times longer a server may say that it is busy than it may say nothing at all.
const TALK: u32 = 10;

const TICK: Duration = Duration::from_millis(20);

/// What to bring.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// Every branch and tag; those that are gone are forgotten.
    Everything,
    /// One commit that no branch or tag leads to. Not every server gives it.
    Commit(git2::Oid),
}

/// `HEAD` apart, a clone has the names of its origin. Local clones have some branches only as `refs/remotes`.
const EVERYTHING: [&str; 4] = [
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    "+refs/remotes/*:refs/remotes/*",
    "+HEAD:refs/parade/HEAD",
];

#[derive(Debug)]
pub(super) enum Failure {
    Interrupted,
    /// Nothing came for this long.
    Silence(Duration),
    /// The server talked for this long without sending anything of use.
    Talk(Duration),
    Git(Error),
}

/// What the two threads share.
#[derive(Default)]
struct Pulse {
    called_off: AtomicBool,
    beats: AtomicU64,
    objects: AtomicU64,
    objects_total: AtomicU64,
    deltas: AtomicU64,
    deltas_total: AtomicU64,
}

impl Pulse {
    /// Something happened. Should it go on?
    fn beat(&self) -> bool {
        self.beats.fetch_add(1, Ordering::Relaxed);
        !self.called_off.load(Ordering::Relaxed)
    }

    fn note(&self, progress: &git2::Progress<'_>) -> bool {
        self.objects.store(progress.received_objects() as u64, Ordering::Relaxed);
        self.objects_total.store(progress.total_objects() as u64, Ordering::Relaxed);
        self.deltas.store(progress.indexed_deltas() as u64, Ordering::Relaxed);
        self.deltas_total.store(progress.total_deltas() as u64, Ordering::Relaxed);
        self.beat()
    }

    fn call_off(&self) {
        self.called_off.store(true, Ordering::Relaxed);
    }

    /// Objects and deltas together: one bar from begin to end.
    fn position(&self) -> (u64, u64) {
        let get = |value: &AtomicU64| value.load(Ordering::Relaxed);
        (get(&self.objects) + get(&self.deltas), get(&self.objects_total) + get(&self.deltas_total))
    }
}

/// Fetches, and tries dropped connections again.
pub(super) fn fetch(sources: &Sources<'_>, url: &str, into: &Path, wanted: &Wanted) -> Result<(), Failure> {
    let mut attempt = 0;
    let local = is_local(&sources.network.effective_url(url));
    loop {
        match fetch_once(sources, url, into, wanted, !local) {
            Err(Failure::Git(error)) if attempt < sources.network.retries && !local && is_transient(&error) => {
                attempt += 1;
                let reason = redact(error.message());
                tracing::warn!("{}: {reason}; trying again ({attempt})", redact(url));
                sources.progress.stage(&format!("fetching {} again after: {reason}", redact(url)));
                pause(sources, attempt)?;
            }
            ended => return ended,
        }
    }
}

fn pause(sources: &Sources<'_>, attempt: u32) -> Result<(), Failure> {
    let until = Instant::now() + sources.network.pause * attempt;
    while Instant::now() < until {
        if (sources.interrupt)() {
            return Err(Failure::Interrupted);
        }
        std::thread::sleep(TICK);
    }
    Ok(())
}

fn fetch_once(sources: &Sources<'_>, url: &str, into: &Path, wanted: &Wanted, watched: bool) -> Result<(), Failure> {
    let pulse = Arc::new(Pulse::default());
    let (sender, receiver) = mpsc::channel();
    let work = Work {
        network: sources.network.clone(),
        url: url.to_owned(),
        into: into.to_owned(),
        wanted: wanted.clone(),
        pulse: Arc::clone(&pulse),
    };
    let spawned = std::thread::Builder::new().name("git fetch".into()).spawn(move || {
        // The receiver is gone if nobody waits any more.
        let _ = sender.send(work.run());
    });
    spawned.map_err(|error| Failure::Git(Error::from_str(&format!("cannot start a thread: {error}"))))?;
    let ended = attend(sources, &pulse, &receiver, watched);
    let (done, total) = pulse.position();
    sources.progress.at(done, total);
    ended
}

fn attend(
    sources: &Sources<'_>,
    pulse: &Pulse,
    ended: &Receiver<Result<(), Error>>,
    watched: bool,
) -> Result<(), Failure> {
    let mut last_beat = (pulse.beats.load(Ordering::Relaxed), Instant::now());
    let mut last_step = (pulse.position(), Instant::now());
    let patience = sources.network.patience;
    loop {
        match ended.recv_timeout(TICK) {
            Ok(Err(error)) if error.code() == ErrorCode::Timeout => {
                return Err(Failure::Silence(sources.network.patience));
            }
            Ok(result) => return result.map_err(Failure::Git),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Git(Error::from_str("the transfer broke down")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let position = pulse.position();
        let (done, total) = position;
        sources.progress.at(done, total);
        if position != last_step.0 {
            last_step = (position, Instant::now());
        } else if watched && last_step.1.elapsed() > patience * TALK {
            pulse.call_off();
            return Err(Failure::Talk(patience * TALK));
        }
        if (sources.interrupt)() {
            pulse.call_off();
            return Err(Failure::Interrupted);
        }
        let beats = pulse.beats.load(Ordering::Relaxed);
        if beats != last_beat.0 {
            last_beat = (beats, Instant::now());
        } else if watched && last_beat.1.elapsed() > patience {
            pulse.call_off();
            return Err(Failure::Silence(patience));
        }
    }
}

/// Everything the network thread needs, owned by it.
struct Work {
    network: Network,
    url: String,
    into: PathBuf,
    wanted: Wanted,
    pulse: Arc<Pulse>,
}

impl Work {
    fn run(&self) -> Result<(), Error> {
        let repository = self.network.open_bare(&self.into)?;
        // An anonymous remote of a repository: libgit2 applies `insteadOf` from the repository's configuration.
        let mut remote = repository.remote_anonymous(&for_libgit2(&self.url))?;
        let mut options = FetchOptions::new();
        let mut proxy = ProxyOptions::new();
        proxy.auto();
        let credentials = Credentials::new(self.network.config(Some(&self.into))?);
        options.proxy_options(proxy).download_tags(AutotagOption::None).remote_callbacks(self.callbacks(credentials));
        match &self.wanted {
            Wanted::Commit(id) => remote.download(&[id.to_string()], Some(&mut options)),
            Wanted::Everything => {
                remote.download(&EVERYTHING, Some(&mut options))?;
                if self.pulse.beat() {
                    // In this order: a new branch `a/b` needs the old branch `a` out of its way.
                    remote.prune(None)?;
                    remote.update_tips(None, RemoteUpdateFlags::empty(), AutotagOption::None, None)?;
                }
                Ok(())
            }
        }
    }

    fn callbacks(&self, mut credentials: Credentials) -> RemoteCallbacks<'_> {
        let mut callbacks = RemoteCallbacks::new();
        callbacks.transfer_progress(|progress| self.pulse.note(&progress));
        callbacks.sideband_progress(|_| self.pulse.beat());
        callbacks.credentials(move |url, user, asked| {
            self.pulse.beat();
            credentials.answer(url, user, asked)
        });
        callbacks
    }
}

/// Is it worth trying again? A refusal stays one; a connection that broke may hold the next time.
fn is_transient(error: &Error) -> bool {
    let final_code =
        matches!(error.code(), ErrorCode::Auth | ErrorCode::Certificate | ErrorCode::NotFound | ErrorCode::User);
    match error.class() {
        _ if final_code => false,
        ErrorClass::Net
        | ErrorClass::Ssl
        | ErrorClass::Ssh
        | ErrorClass::Os
        | ErrorClass::Indexer
        | ErrorClass::Zlib => true,
        ErrorClass::Http => http_status(error.message()).is_none_or(|status| status >= 500),
        _ => error.code() == ErrorCode::Eof,
    }
}

fn http_status(message: &str) -> Option<u16> {
    message.rsplit(' ').next()?.parse().ok()
}

impl Failure {
    /// The error that the user reads; names the url, and the mirror where git's configuration sends it to one.
    pub(super) fn explain(&self, network: &Network, url: &str) -> Report {
        let place = network.shown(url);
        match self {
            Failure::Interrupted => miette!("interrupted while fetching {place}"),
            Failure::Silence(patience) => miette!(
                help = "check the server and the proxy settings; PARADE_GIT_TIMEOUT=<seconds> waits longer",
                "{place} sent nothing for {} s",
                patience.as_secs_f64()
            ),
            Failure::Talk(patience) => miette!(
                help = "PARADE_GIT_TIMEOUT=<seconds> waits longer: parade gives up after ten times this value",
                "{place} only reported that it was busy, for {} s",
                patience.as_secs_f64()
            ),
            Failure::Git(error) => explain_git(error, &place, url),
        }
    }
}

fn explain_git(error: &Error, place: &str, url: &str) -> Report {
    let reason = redact(error.message());
    let status = (error.class() == ErrorClass::Http).then(|| http_status(error.message())).flatten();
    match (error.code(), status) {
        (ErrorCode::Auth, _) | (_, Some(401 | 403)) => {
            miette!(help = authentication_help(url), "not allowed to read {place}: {reason}")
        }
        (ErrorCode::Certificate, _) => {
            miette!(help = trust_help(error.class()), "the server of {place} is not trusted: {reason}")
        }
        (ErrorCode::NotFound, _) | (_, Some(404 | 410)) => {
            miette!(
                help = "check the URL; without credentials, private repositories look as if they did not exist",
                "there is no repository at {place}: {reason}"
            )
        }
        _ => miette!("cannot fetch {place}: {reason}"),
    }
}

fn authentication_help(url: &str) -> &'static str {
    match url.starts_with("http") {
        true => {
            "store a user and password with git, e.g. `git config --global credential.helper store` and one `git \
             ls-remote` of the url"
        }
        false => "add a key to the ssh agent with `ssh-add`, or put one without a passphrase into ~/.ssh",
    }
}

fn trust_help(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Ssh => "connect once with `ssh` so that the host's key gets into ~/.ssh/known_hosts",
        _ => "set git's http.sslCAInfo, or SSL_CERT_FILE, to a file with the authority's certificate",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: ErrorCode, class: ErrorClass, message: &str) -> Error {
        Error::new(code, class, message)
    }

    #[test]
    fn only_what_may_heal_is_tried_again() {
        let generic = ErrorCode::GenericError;
        assert!(is_transient(&error(generic, ErrorClass::Net, "early EOF")));
        assert!(is_transient(&error(generic, ErrorClass::Http, "unexpected http status code: 503")));
        assert!(!is_transient(&error(generic, ErrorClass::Http, "unexpected http status code: 404")));
        assert!(!is_transient(&error(ErrorCode::Auth, ErrorClass::Net, "no")));
        assert!(!is_transient(&error(ErrorCode::NotFound, ErrorClass::Os, "no such folder")));
        assert!(!is_transient(&error(ErrorCode::User, ErrorClass::Callback, "called off")));
    }

    #[test]
    fn explanations_never_show_a_password() {
        let network = Network { git_config: Some("/nowhere".into()), ..Network::default() };
        let url = "https://me:hunter2@localhost/x";
        let failures = [
            Failure::Interrupted,
            Failure::Silence(Duration::from_secs(3)),
            Failure::Git(error(ErrorCode::Auth, ErrorClass::Http, url)),
            Failure::Git(error(ErrorCode::GenericError, ErrorClass::Net, url)),
        ];
        for failure in failures {
            let report = failure.explain(&network, url);
            let text = format!("{report:?} {report}");
            assert!(text.contains("localhost") && !text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn the_mirror_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gitconfig");
        std::fs::write(&file, "[url \"/mirror/\"]\n\tinsteadOf = https://far.example/\n").unwrap();
        let network = Network { git_config: Some(file), ..Network::default() };
        let report = Failure::Interrupted.explain(&network, "https://far.example/a");
        assert!(report.to_string().contains("/mirror/a"), "{report}");
    }
}
