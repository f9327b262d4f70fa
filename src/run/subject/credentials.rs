//! Who parade says it is: what the url itself says, git's credential helpers, the ssh agent, the usual key files. It
//! never asks at a terminal, since an experiment may start hours after its user has left.

use std::path::PathBuf;

use git2::{Config, Cred, CredentialType, Error, ErrorClass, ErrorCode};

const KEY_FILES: [&str; 3] = ["id_ed25519", "id_ecdsa", "id_rsa"];

/// Answers a server's questions, each way once: libgit2 asks again for as long as the server says no.
pub(super) struct Credentials {
    config: Config,
    helper_asked: bool,
    ssh: Vec<SshIdentity>,
    ssh_offered: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SshIdentity {
    Agent,
    Key(PathBuf),
}

impl Credentials {
    pub(super) fn new(config: Config) -> Self {
        let agent = std::env::var_os("SSH_AUTH_SOCK").filter(|socket| !socket.is_empty()).map(|_| SshIdentity::Agent);
        let folder = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".ssh"));
        let keys = folder.iter().flat_map(|folder| KEY_FILES.map(|name| folder.join(name)));
        let keys = keys.filter(|key| key.is_file()).map(SshIdentity::Key);
        let mut ssh: Vec<SshIdentity> = agent.into_iter().chain(keys).collect();
        ssh.reverse();
        Credentials { config, helper_asked: false, ssh, ssh_offered: Vec::new() }
    }

    pub(super) fn answer(&mut self, url: &str, user: Option<&str>, asked: CredentialType) -> Result<Cred, Error> {
        if asked.contains(CredentialType::USERNAME) {
            return Cred::username(user.unwrap_or("git"));
        }
        if asked.contains(CredentialType::SSH_KEY) {
            return self.next_ssh(user.unwrap_or("git"));
        }
        if asked.contains(CredentialType::USER_PASS_PLAINTEXT) {
            return self.ask_helper(url, user);
        }
        Err(refused("the server requires a kind of authentication that parade does not support"))
    }

    fn ask_helper(&mut self, url: &str, user: Option<&str>) -> Result<Cred, Error> {
        if std::mem::replace(&mut self.helper_asked, true) {
            return Err(refused("the server does not accept the user and password of git's credential helper"));
        }
        Cred::credential_helper(&self.config, url, user)
            .map_err(|_| refused("the server requires a user and a password, but git's credential helpers have none"))
    }

    fn next_ssh(&mut self, user: &str) -> Result<Cred, Error> {
        while let Some(identity) = self.ssh.pop() {
            let (name, offer) = match &identity {
                SshIdentity::Agent => ("the ssh agent".to_owned(), Cred::ssh_key_from_agent(user)),
                SshIdentity::Key(key) => (key.display().to_string(), Cred::ssh_key(user, None, key, None)),
            };
            self.ssh_offered.push(name);
            if offer.is_ok() {
                return offer;
            }
        }
        Err(refused(&self.ssh_failure()))
    }

    fn ssh_failure(&self) -> String {
        match self.ssh_offered.as_slice() {
            [] => "there is no ssh agent and no key in ~/.ssh".to_owned(),
            offered => format!("the server accepts none of: {}", offered.join(", ")),
        }
    }
}

fn refused(message: &str) -> Error {
    Error::new(ErrorCode::Auth, ErrorClass::Callback, message)
}

/// Who commits on this machine, as git's configuration says: name and address.
pub fn git_author() -> Vec<String> {
    let git = git2::Config::open_default().ok();
    ["user.name", "user.email"].iter().filter_map(|key| git.as_ref()?.get_string(key).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Credentials {
        Credentials { config: Config::new().unwrap(), helper_asked: false, ssh: Vec::new(), ssh_offered: Vec::new() }
    }

    #[test]
    fn without_agent_and_keys_the_error_says_so() {
        let error = none().answer("ssh://h/x", None, CredentialType::SSH_KEY).err().unwrap();
        assert_eq!(error.code(), ErrorCode::Auth);
        assert!(error.message().contains("no key in ~/.ssh"));
    }

    #[test]
    fn every_identity_is_offered_once_and_then_named() {
        let mut credentials = none();
        credentials.ssh = vec![SshIdentity::Key("/k/two".into()), SshIdentity::Key("/k/one".into())];
        assert!(credentials.answer("ssh://h/x", Some("me"), CredentialType::SSH_KEY).is_ok());
        assert!(credentials.answer("ssh://h/x", Some("me"), CredentialType::SSH_KEY).is_ok());
        let error = credentials.answer("ssh://h/x", Some("me"), CredentialType::SSH_KEY).err().unwrap();
        assert!(error.message().ends_with("/k/one, /k/two"), "{}", error.message());
    }

    #[test]
    fn a_helper_is_asked_once() {
        let mut credentials = none();
        credentials.helper_asked = true;
        let error = credentials.answer("https://h/x", None, CredentialType::USER_PASS_PLAINTEXT).err().unwrap();
        assert!(error.message().contains("does not accept"));
    }
}
