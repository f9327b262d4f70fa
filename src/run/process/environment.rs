//! What a subject may inherit from the environment that parade was started in.

use std::collections::BTreeMap;

const KEPT: [&str; 25] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "NODE_EXTRA_CA_CERTS",
];

/// Where programs are looked for when parade itself was started without a `PATH`.
const FALLBACK_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The variables that say where things are and how to reach the network. Everything else, `JAVA_HOME` and
/// `MAVEN_OPTS` first of all, could change what is measured, so the caller declares it.
pub fn base_environment() -> BTreeMap<String, String> {
    kept(std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))))
}

fn kept(variables: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    let mut kept: BTreeMap<_, _> =
        variables.filter(|(name, _)| KEPT.contains(&name.as_str()) || name.starts_with("LC_")).collect();
    kept.entry("PATH".to_owned()).or_insert_with(|| FALLBACK_PATH.to_owned());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<String> {
        kept(names.iter().map(|name| ((*name).to_owned(), "x".to_owned()))).into_keys().collect()
    }

    #[test]
    fn what_could_change_a_measurement_is_not_inherited() {
        assert_eq!(of(&["PATH", "JAVA_HOME", "MAVEN_OPTS", "JAVA_TOOL_OPTIONS", "PARADE_TAG", "LD_PRELOAD"]), ["PATH"]);
    }

    #[test]
    fn locale_time_zone_and_network_are_inherited() {
        let names = ["HOME", "HTTPS_PROXY", "LANG", "LC_ALL", "PATH", "SSL_CERT_FILE", "TZ", "no_proxy"];
        assert_eq!(of(&names), names);
    }

    #[test]
    fn there_is_always_a_path() {
        assert_eq!(of(&[]), ["PATH"]);
    }
}
