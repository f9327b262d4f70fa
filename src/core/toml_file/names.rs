//! Names: which are safe as file names, which one was probably meant, how they are shown.

use std::collections::BTreeSet;

/// A longer one could not be part of a file name together with others.
pub const MAX_NAME: usize = 64;
/// Lists in messages end here.
const LISTED: usize = 30;
/// Of more than that, so many similar ones are listed.
const NEAREST: usize = 5;
/// So many are compared when a name is not known.
const COMPARED: usize = 1000;
/// Quotations in messages end here.
const QUOTED: usize = 60;

/// Names become parts of file names: letters and digits first, then also `.`, `_`, `-`, and never `..`.
pub fn is_safe(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    first && rest && name.len() <= MAX_NAME && !name.contains("..")
}

/// The safe name nearest to an unsafe one, to suggest.
pub fn made_safe(name: &str) -> Option<String> {
    let mut safe: String = name
        .chars()
        .take(MAX_NAME)
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' })
        .collect();
    while safe.contains("..") {
        safe = safe.replace("..", ".");
    }
    let safe = safe.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    is_safe(safe).then(|| safe.to_owned())
}

/// The safe name nearest to any text; `project` where there is none.
pub fn safe_name(text: &str) -> String {
    // Room for what others put before and after it.
    let short: String = text.chars().take(MAX_NAME / 2).collect();
    made_safe(&short).unwrap_or_else(|| "project".to_owned())
}

/// The candidate that was probably meant.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().count() > MAX_NAME {
        return None;
    }
    let wanted = name.to_lowercase();
    let candidates: Vec<_> = candidates.into_iter().take(COMPARED).collect();
    let begins = candidates.iter().filter(|candidate| wanted.len() > 2 && candidate.starts_with(&wanted));
    let begun = begins.copied().next();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
        .or(begun)
}

/// The names between backquotes, in alphabetical order, without repetition.
pub fn sorted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(BTreeSet::from_iter(names))
}

/// The names between backquotes, in the given order.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<_> = names.into_iter().collect();
    let shown: Vec<_> = all.iter().take(LISTED).map(|name| quoted(name)).collect();
    match all.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A text of the file inside a message: between backquotes, on one line, of bounded length.
pub fn quoted(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(QUOTED) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if text.chars().nth(QUOTED).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// "did you mean …?" followed by what there is.
pub fn suggestion<'a>(name: &str, noun: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let all = format!("{noun}: {}", list(known.clone()));
    match closest(name, known) {
        Some(meant) => format!("did you mean `{meant}`? {all}"),
        None => all,
    }
}

/// "did you mean …?" followed by the most similar ones, where there are too many to list.
pub fn nearest(name: &str, noun: &str, known: &[&str]) -> String {
    if known.len() <= LISTED {
        return suggestion(name, noun, known.iter().copied());
    }
    let short: String = name.to_lowercase().chars().take(MAX_NAME).collect();
    let mut by_distance = known.to_vec();
    by_distance.sort_by_cached_key(|other| strsim::damerau_levenshtein(&short, &other.to_lowercase()));
    by_distance.truncate(NEAREST);
    suggestion(name, &format!("the most similar of {} {noun}", known.len()), by_distance)
}

/// The same for names that are not of a file.
pub fn did_you_mean(name: &str, noun: &str, known: &[&str]) -> String {
    suggestion(name, noun, known.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_their_folder_are_unsafe() {
        for name in ["", ".", "..", "../x", "a/b", "/a", "a\\b", "-x", ".x", "a..b", "a b", "é", "a\0", "a\n"] {
            assert!(!is_safe(name), "{name:?}");
        }
        for name in ["a", "commons-io", "JUnit_4.13", "0"] {
            assert!(is_safe(name), "{name:?}");
        }
        assert!(is_safe(&"x".repeat(MAX_NAME)) && !is_safe(&"x".repeat(MAX_NAME + 1)));
    }

    #[test]
    fn a_safe_name_is_suggested_where_there_is_one() {
        assert_eq!(made_safe("../commons io"), Some("commons-io".to_owned()));
        assert_eq!(made_safe(".."), None);
    }

    #[test]
    fn of_many_names_the_most_similar_are_listed() {
        let many: Vec<String> = (0..40).map(|number| format!("claim-{number}")).chain(["mean".to_owned()]).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let told = nearest("meen", "claims", &many);
        assert!(told.starts_with("did you mean `mean`? the most similar of 41 claims: `mean`, "), "{told}");
        assert_eq!(told.matches('`').count(), 12, "{told}");
        assert_eq!(nearest("meen", "claims", &many[..2]), "claims: `claim-0`, `claim-1`");
    }

    #[test]
    fn a_suggestion_is_near_or_absent() {
        assert_eq!(closest("repetitons", ["repetitions", "seed"]), Some("repetitions"));
        assert_eq!(closest("Threads", ["threads", "forks"]), Some("threads"));
        assert_eq!(closest("rep", ["seed", "repetitions"]), Some("repetitions"));
        assert_eq!(closest("zebra", ["threads", "forks"]), None);
    }
}
