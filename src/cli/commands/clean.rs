//! `parade clean`: what parade's cache holds, and freeing it. Without `--yes` nothing is removed.

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use parade::home::Home;
use parade::shown_text::shown;
use parade::subject::{CacheEntry, CacheKind, CleaningWish, cache_entries, free};
use parade::wording::plural;
use serde_json::json;

use super::output::{pretty, print, table, warn};

/// Foreign files that are named.
const NAMED: usize = 5;

#[derive(Debug)]
pub struct CleanOptions {
    /// Remove it; without, it is only told what would go.
    pub yes: bool,
    /// Also reports and results.
    pub all: bool,
    pub older_than: Option<Duration>,
    pub json: bool,
}

pub fn run(options: &CleanOptions) -> miette::Result<ExitCode> {
    let home = Home::find()?;
    let entries = cache_entries(&home)?;
    let wish = CleaningWish { everything: options.all, older_than: options.older_than };
    let now = SystemTime::now();
    let (goes, stays): (Vec<&CacheEntry>, Vec<&CacheEntry>) =
        entries.iter().filter(|entry| wish.includes(entry, now)).partition(|entry| !entry.in_use);
    let mut failed = 0;
    for entry in goes.iter().filter(|_| options.yes) {
        if let Err(error) = free(entry) {
            warn(&error.to_string());
            failed += 1;
        }
    }
    if options.json {
        print(&pretty(&json!({
            "cache": home.root(),
            "entries": entries,
            "bytes": total(&entries.iter().collect::<Vec<_>>()),
            "freed": options.yes,
            "freed_bytes": total(&goes),
            "in_use_bytes": total(&stays),
        }))?)?;
    } else {
        print(&page(&home, &entries, &goes, &stays, options))?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn total(entries: &[&CacheEntry]) -> u64 {
    entries.iter().map(|entry| entry.bytes).sum()
}

fn page(
    home: &Home,
    entries: &[CacheEntry],
    goes: &[&CacheEntry],
    stays: &[&CacheEntry],
    options: &CleanOptions,
) -> String {
    let mut kinds: Vec<CacheKind> = entries.iter().map(|entry| entry.kind).collect();
    kinds.dedup();
    let mut rows = Vec::new();
    for kind in kinds {
        let own: Vec<&CacheEntry> = entries.iter().filter(|entry| entry.kind == kind).collect();
        rows.push(vec![
            kind.name().to_owned(),
            plural(own.len(), "entry").replace("entrys", "entries"),
            size(total(&own)),
        ]);
    }
    rows.push(vec!["all".to_owned(), String::new(), size(total(&entries.iter().collect::<Vec<_>>()))]);
    let mut page = format!("{}\n{}", home.root().display(), table(rows));
    if !stays.is_empty() {
        page.push_str(&format!("{} in use by a run, and kept\n", size(total(stays))));
    }
    let freed = size(total(goes));
    page.push_str(&match (options.yes, goes.is_empty()) {
        (_, true) => "Nothing to free\n".to_owned(),
        (true, false) => format!("{freed} freed\n"),
        (false, false) => format!("{freed} can be freed: add --yes. Later runs download and build it again\n"),
    });
    if !options.all {
        page.push_str(&kept(entries));
    }
    page
}

/// What goes only with `--all`. What parade does not know is named: it may be somebody's own.
fn kept(entries: &[CacheEntry]) -> String {
    let of = |kinds: &[CacheKind]| -> Vec<&CacheEntry> {
        entries.iter().filter(|entry| kinds.contains(&entry.kind)).collect()
    };
    let mut text = String::new();
    if !of(&[CacheKind::Reports, CacheKind::Results]).is_empty() {
        text.push_str("Reports and results are kept; --all removes them, too\n");
    }
    let others = of(&[CacheKind::Other]);
    for entry in others.iter().take(NAMED) {
        let name = shown(&entry.path.file_name().unwrap_or_default().to_string_lossy());
        text.push_str(&format!(
            "{name} ({}) is kept, because this parade did not make it; --all removes it, too\n",
            size(entry.bytes)
        ));
    }
    if others.len() > NAMED {
        text.push_str(&format!("and {} more, which --json lists\n", others.len() - NAMED));
    }
    text
}

/// As people read it.
pub(super) fn size(bytes: u64) -> String {
    let mut amount = bytes as f64;
    for unit in ["B", "KiB", "MiB"] {
        if amount < 1024.0 {
            return if unit == "B" { format!("{amount:.0} {unit}") } else { format!("{amount:.1} {unit}") };
        }
        amount /= 1024.0;
    }
    format!("{amount:.1} GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_named() {
        let entry = |kind, path: &str| CacheEntry { kind, path: path.into(), bytes: 7, used: None, in_use: false };
        let entries = [entry(CacheKind::Results, "/c/results/a"), entry(CacheKind::Other, "/c/notes")];
        assert_eq!(
            kept(&entries),
            "Reports and results are kept; --all removes them, too\n\
             notes (7 B) is kept, because this parade did not make it; --all removes it, too\n"
        );
        assert_eq!(kept(&[entry(CacheKind::Builds, "/c/worktrees/a")]), "");
    }

    #[test]
    fn sizes_are_for_people() {
        assert_eq!([0, 1023, 1536, 3 << 20, 5 << 30].map(size), ["0 B", "1023 B", "1.5 KiB", "3.0 MiB", "5.0 GiB"]);
    }
}
