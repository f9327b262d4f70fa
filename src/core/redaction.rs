//! Takes passwords and tokens out of texts that may be shown or kept: of urls, wherever in a text they are.

use std::ops::Range;

const STARS: &str = "***";
/// What the name of a url's parameter contains whose value is nobody's business.
const SECRET_PARAMETERS: [&str; 8] =
    ["token", "password", "passwd", "secret", "signature", "key", "credential", "authorization"];
/// And what it is.
const SECRET_NAMES: [&str; 4] = ["auth", "pwd", "pass", "sig"];

/// Takes passwords and tokens out of every url in a text, so that it can be shown.
pub fn redact(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets(text) {
        shown.push_str(&text[end..secret.start]);
        shown.push_str(STARS);
        end = secret.end;
    }
    shown.push_str(&text[end..]);
    shown
}

/// The same in a text of the same length, so that places in it stay what they are.
pub fn masked(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for secret in secrets(text) {
        bytes[secret].fill(b'*');
    }
    // Secrets begin and end between characters.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Where secrets are, in order.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), 0);
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "'\"`<>".contains(c)) {
        secrets_of_word(word, start, &mut found);
        start += word.len();
    }
    found
}

/// A url has no end before its word does, and no user's secret after the last `@`; another url can follow in the same word.
fn secrets_of_word(word: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let Some(first) = word.find("://") else { return };
    let end = word.rfind('@').map_or(0, |at| at + 1);
    let (mut of_word, mut at) = (Vec::new(), 0);
    while let Some(scheme) = word[at..end.max(at)].find("://").map(|place| at + place) {
        let after = &word[scheme + 3..end];
        at = scheme + 3;
        if let Some(length) = secret_length(scheme_at_end(&word[..scheme]), after) {
            // The last of it is the `@`, which is no secret.
            of_word.push(start + at..start + at + length - 1);
            at += length;
        }
    }
    secret_parameters(word, first, start, &mut of_word);
    of_word.sort_by_key(|secret| secret.start);
    for secret in of_word {
        match found.last_mut().filter(|last| secret.start <= last.end) {
            Some(last) => last.end = last.end.max(secret.end),
            None => found.push(secret),
        }
    }
}

/// Values of parameters from a place in the word on, e.g. of `?token=…` or `#token=…`.
fn secret_parameters(word: &str, from: usize, start: usize, found: &mut Vec<Range<usize>>) {
    let mut at = from;
    while let Some(mark) = word[at..].find(['?', '&', ';', '#']).map(|place| at + place + 1) {
        at = mark;
        let rest = &word[mark..];
        let length = rest.find(|c: char| "?&;#,)".contains(c) || c.is_whitespace() || "'\"`<>".contains(c));
        let parameter = &rest[..length.unwrap_or(rest.len())];
        let Some((name, value)) = parameter.split_once('=') else { continue };
        if is_secret(name) && !value.is_empty() {
            let value_start = start + mark + name.len() + 1;
            found.push(value_start..value_start + value.len());
        }
        at = mark + parameter.len();
    }
}

/// Is it the name of a parameter whose value is nobody's business? It may be written with `%74` for `t`.
fn is_secret(name: &str) -> bool {
    let name = percent_decoded(name).to_ascii_lowercase();
    SECRET_NAMES.contains(&name.as_str()) || SECRET_PARAMETERS.iter().any(|secret| name.contains(secret))
}

fn percent_decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, others @ ..] = rest {
        let digits = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The url as it may be written to disk: without user, password and secret parameters, except for the user name that ssh needs.
pub fn without_secrets(url: &str) -> String {
    redact(&without_user(url))
}

/// What names are made from: without secrets, and without any parameter.
pub fn without_parameters(url: &str) -> String {
    let mut plain = without_secrets(url);
    if let Some(scheme) = plain.find("://")
        && let Some(length) = plain[scheme..].find(['?', '#', ';'])
    {
        plain.truncate(scheme + length);
    }
    plain
}

fn without_user(url: &str) -> String {
    let Some((scheme, after)) = url.split_once("://") else { return url.to_owned() };
    match secret_length(scheme, after) {
        Some(length) if scheme == "ssh" => {
            let user = after.split([':', '@']).next().unwrap_or_default();
            format!("ssh://{user}@{}", &after[length..])
        }
        Some(length) => format!("{scheme}://{}", &after[length..]),
        None => url.to_owned(),
    }
}

fn scheme_at_end(text: &str) -> &str {
    let start = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    start.map_or(text, |at| &text[at..]).trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
}

/// How much of what follows `://` is secret, the `@` included. A password with a raw slash in it is not valid, but it
/// happens; what looks like a port that is no number is taken for the beginning of one.
fn secret_length(scheme: &str, after: &str) -> Option<usize> {
    let first = first_secret(scheme, after)?;
    // What follows one can look like another: rather too much is hidden than too little.
    Some(first + secret_length(scheme, &after[first..]).unwrap_or(0))
}

fn first_secret(scheme: &str, after: &str) -> Option<usize> {
    let authority = &after[..after.find('/').unwrap_or(after.len())];
    if let Some(at) = authority.rfind('@') {
        let bare_ssh_user = scheme == "ssh" && !authority[..at].contains(':');
        return (!bare_ssh_user).then_some(at + 1);
    }
    let (_, port) = authority.split_once(':')?;
    let looks_like_password =
        !port.is_empty() && !authority.starts_with('[') && !port.bytes().all(|b| b.is_ascii_digit());
    looks_like_password.then(|| after.rfind('@').map(|at| at + 1)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_are_taken_out_of_any_text() {
        let cases = [
            ("https://me:secret@host/x.git", "https://***@host/x.git"),
            ("https://token@host:8080/x", "https://***@host:8080/x"),
            ("cannot read 'http://a:b@c/d': no", "cannot read 'http://***@c/d': no"),
            ("http://me:p/ss@host/x", "http://***@host/x"),
            ("http://me@work:p/ss@host/x", "http://***@host/x"),
            ("https://host:8080/@scope/x", "https://host:8080/@scope/x"),
            ("ssh://git@host/x and ssh://git:pw@host/x", "ssh://git@host/x and ssh://***@host/x"),
            ("git@host:a/b", "git@host:a/b"),
            ("https://host/x?token=abc&a=1", "https://host/x?token=***&a=1"),
            (
                "see https://me:pw@host/x.git?a=1&Private_Token=abc#top",
                "see https://***@host/x.git?a=1&Private_Token=***#top",
            ),
            ("https://host/x?page=1 and token=abc", "https://host/x?page=1 and token=abc"),
            ("no url at all", "no url at all"),
            ("https://h/x#access_token=S", "https://h/x#access_token=***"),
            ("https://h/x?%74oken=S&b=1", "https://h/x?%74oken=***&b=1"),
            ("https://h/x;password=S", "https://h/x;password=***"),
            ("https://h/x?auth=S&author=me", "https://h/x?auth=***&author=me"),
            ("https://h/x?token=a@b/c", "https://h/x?token=***"),
            ("https://h/x?token=a,https://me:pw@h/y", "https://h/x?token=***,https://***@h/y"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn a_masked_text_is_as_long_as_it_was() {
        let text = "repository = 'https://mé:pw@host/x?token=abc' # ü";
        assert_eq!(masked(text), "repository = 'https://******@host/x?token=***' # ü");
        assert_eq!(masked(text).len(), text.len());
    }

    #[test]
    fn a_text_of_many_urls_is_read_once() {
        let (urls, secrets) = ("x://".repeat(200_000), "a://b:c/".repeat(200_000));
        assert_eq!(redact(&urls), urls);
        assert_eq!(redact(&secrets), secrets);
        assert_eq!(redact(&format!("{secrets}@{secrets}")), format!("a://***@{secrets}"));
    }

    #[test]
    fn what_is_written_to_disk_has_no_secrets() {
        assert_eq!(without_secrets("https://me:pw@host/x"), "https://host/x");
        assert_eq!(without_secrets("ssh://git:pw@host/x"), "ssh://git@host/x");
        assert_eq!(without_secrets("ssh://git@host/x"), "ssh://git@host/x");
        assert_eq!(without_secrets("https://me:pw@host/x;password=S"), "https://host/x;password=***");
        for url in [
            "https://host/a/x.git#access_token=S",
            "https://me:S#@host/a/x.git?%74oken=S",
            "https://host/a/x.git;auth=S",
        ] {
            assert_eq!(without_parameters(url), "https://host/a/x.git");
        }
        assert_eq!(without_parameters("folder#1/x"), "folder#1/x");
    }
}
