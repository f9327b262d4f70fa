//! Takes passwords and tokens out of texts that may be shown or kept: of urls, wherever in a text they are.

use std::ops::Range;

const STARS: &str = "***";
/// What the name of a url's parameter contains whose value is nobody's business.
const SECRET_PARAMETERS: [&str; 6] = ["token", "password", "passwd", "secret", "signature", "key"];

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
    let mut at = 0;
    while let Some(scheme) = word[at..end.max(at)].find("://").map(|place| at + place) {
        let after = &word[scheme + 3..end];
        at = scheme + 3;
        if let Some(length) = secret_length(scheme_at_end(&word[..scheme]), after) {
            // The last of it is the `@`, which is no secret.
            found.push(start + at..start + at + length - 1);
            at += length;
        }
    }
    secret_parameters(word, end.max(first), start, found);
}

/// Values of parameters from a place in the word on, e.g. of `?token=…`.
fn secret_parameters(word: &str, from: usize, start: usize, found: &mut Vec<Range<usize>>) {
    let mut at = from;
    while let Some(mark) = word[at..].find(['?', '&', ';']).map(|place| at + place + 1) {
        at = mark;
        let rest = &word[mark..];
        let length = rest.find(|c: char| "&;#,)".contains(c) || c.is_whitespace() || "'\"`<>".contains(c));
        let parameter = &rest[..length.unwrap_or(rest.len())];
        let Some((name, value)) = parameter.split_once('=') else { continue };
        let name_is_secret = SECRET_PARAMETERS.iter().any(|secret| name.to_ascii_lowercase().contains(secret));
        if name_is_secret && !value.is_empty() {
            let value_start = start + mark + name.len() + 1;
            found.push(value_start..value_start + value.len());
        }
        at = mark + parameter.len();
    }
}

/// The url as it may be written to disk: without user and password, except for the user name that ssh needs.
pub fn without_secrets(url: &str) -> String {
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
    }
}
