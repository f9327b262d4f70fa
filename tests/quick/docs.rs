//! The documentation: every relative link and every anchor leads somewhere, and lines of prose can be read without
//! scrolling. It does not look at addresses on the network.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// More characters than this in a line of prose are too many. Tables cannot be wrapped, and are left out.
const LONGEST_LINE: usize = 120;

/// All Markdown pages that readers open in the repository.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = Vec::new();
    for folder in [".", "docs", "subjects", "histories"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension() == Some("md".as_ref())));
    }
    pages.sort();
    pages
}

/// The lines outside of fenced code, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((at + 1, line));
        }
    }
    lines
}

/// A heading's anchor as GitHub makes it: lower case, blanks as hyphens, no punctuation.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(page: &Path) -> HashSet<String> {
    let text = fs::read_to_string(page).unwrap();
    let headings = prose(&text).into_iter().filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#'))).collect()
}

/// The targets of the links in a line: what stands between `](` and the next `)`.
fn targets(line: &str) -> Vec<&str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

fn broken(page: &Path, target: &str) -> bool {
    if target.contains("://") {
        return false;
    }
    let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
    let aimed = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    let no_such_heading = || !fragment.is_empty() && !anchors(&aimed).contains(fragment);
    !aimed.exists() || no_such_heading()
}

#[test]
fn every_relative_link_leads_to_a_page_and_a_heading() {
    let mut complaints = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for (number, line) in prose(&text) {
            for target in targets(line).into_iter().filter(|target| broken(&page, target)) {
                complaints.push(format!("{}:{number}: {target}", page.display()));
            }
        }
    }
    assert!(complaints.is_empty(), "links that lead nowhere:\n{}", complaints.join("\n"));
}

#[test]
fn no_line_of_prose_is_longer_than_120_characters() {
    let mut complaints = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let long = |(_, line): &(usize, &str)| {
            line.chars().count() > LONGEST_LINE && !line.trim_start().starts_with(['|', '!'])
        };
        complaints.extend(prose(&text).into_iter().filter(long).map(|(at, _)| format!("{}:{at}", page.display())));
    }
    assert!(complaints.is_empty(), "lines of more than {LONGEST_LINE} characters:\n{}", complaints.join("\n"));
}

#[test]
fn every_page_leads_to_the_glossary() {
    let leads = |page: &&PathBuf| {
        let own = page.ends_with("docs/glossary.md") || page.ends_with("histories/README.md");
        own || fs::read_to_string(page).unwrap().contains("glossary.md")
    };
    let without: Vec<PathBuf> = pages().into_iter().filter(|page| !leads(&page)).collect();
    assert!(without.is_empty(), "pages without a link to the glossary: {without:?}");
}

#[test]
fn anchors_are_made_as_github_makes_them() {
    assert_eq!(anchor(" What does `parade check --json` print?"), "what-does-parade-check---json-print");
    assert_eq!(anchor(" `[machine]`: on which cores, with which limits?"), "machine-on-which-cores-with-which-limits");
}

const TABLES_BEGIN: &str = "<!-- tables: made from src/report/tables/registry.rs -->\n";
const TABLES_END: &str = "<!-- end of tables -->\n";

/// A line for each table of a report.
fn list_of_tables() -> String {
    let mut list = String::from("| `--table` | title | section of the page |\n|---|---|---|\n");
    for table in parade::report::TABLES {
        let title = table.title.replace("{baseline}", "the baseline").replace("{fewest_cores}", "the fewest cores");
        let section = table.section.map_or("–", |section| section.title());
        list += &format!("| `{}` | {title} | {section} |\n", table.name);
    }
    list
}

#[test]
fn the_list_of_tables_is_that_of_the_program() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(TABLES_BEGIN).unwrap();
    let (list, after) = rest.split_once(TABLES_END).unwrap();
    if std::env::var_os("PARADE_UPDATE_DOCS").is_some() {
        fs::write(&page, format!("{before}{TABLES_BEGIN}{}{TABLES_END}{after}", list_of_tables())).unwrap();
        return;
    }
    assert_eq!(list, list_of_tables(), "PARADE_UPDATE_DOCS=1 cargo test --test quick docs writes the list");
}
