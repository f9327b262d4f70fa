//! The report as one page that needs nothing else: styles, script, figures and data are inside, nothing is requested.
//!
//! What pages share is in [`page`]; here is what a report fills it with. Without the script it is still readable.

pub(super) mod data;
mod facts;
pub(super) mod page;
mod sections;
pub(super) mod table;

use serde::Serialize;

use super::NOT_FOR_PUBLICATION;
use crate::report::RunReport;
use crate::report::analysis::{Gravity, Threat, Warning, WarningGroup};
use crate::report::details::Details;
use crate::shown_text::{sentence, shown};
use crate::wording::plural;

use facts::{Card, Fact};
use page::{Carried, Template};
use sections::Section;

const TEMPLATE: Template = Template { name: "report.html", source: include_str!("../../templates/report.html") };

/// Places of a warning that are named; of more the number is told.
const MOST_PLACES: usize = 6;
/// A caveat names places; a longer one is cut.
const LONGEST_CAVEAT: usize = 600;

pub fn render(report: &RunReport, details: &Details) -> miette::Result<String> {
    page::render(&TEMPLATE, &Page::new(report, details)?)
}

#[derive(Serialize)]
struct Page<'a> {
    carried: Carried,
    experiment: String,
    study: Option<String>,
    quick: Option<&'static str>,
    headline: &'a str,
    /// What a reader must distrust, the gravest first.
    caveats: Vec<String>,
    /// The sentences after it.
    lead: Vec<&'a str>,
    cards: Vec<Card>,
    verdict: Vec<Fact>,
    warnings: Vec<WarningView>,
    sections: Vec<Section>,
    threats: &'a [Threat],
    facts: Vec<Fact>,
    limits: Vec<String>,
    configurations: Vec<Fact>,
    has_executions_file: bool,
    started: String,
    parade: String,
}

#[derive(Serialize)]
struct WarningView {
    text: String,
    places: Option<String>,
}

impl<'a> Page<'a> {
    fn new(report: &RunReport<'a>, details: &Details) -> miette::Result<Page<'a>> {
        let analysis = report.analysis;
        let run = &analysis.run;
        Ok(Page {
            carried: Carried::with(data::render(report, details)?),
            experiment: shown(&run.manifest.experiment),
            study: run.manifest.study.as_deref().map(shown),
            quick: run.manifest.quick.then_some(NOT_FOR_PUBLICATION),
            headline: analysis.headline.sentences().next().map_or("", String::as_str),
            caveats: analysis.headline.caveats.iter().map(|caveat| sentence(caveat, LONGEST_CAVEAT)).collect(),
            lead: analysis.headline.sentences().skip(1).map(String::as_str).collect(),
            cards: facts::cards(analysis),
            verdict: facts::verdict(report),
            warnings: less_grave(&analysis.warnings),
            sections: sections::all(report, details)?,
            threats: &analysis.threats,
            facts: facts::machine(analysis),
            limits: analysis.machine.limits.iter().map(|limit| shown(&readable_limit(limit))).collect(),
            configurations: run.manifest.configurations.iter().map(|each| facts::configuration(each, run)).collect(),
            has_executions_file: !details.lacks_executions_file,
            started: run.manifest.started_at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
            parade: shown(&run.manifest.parade),
        })
    }
}

/// `memory_peak: …` as people write it. Only the name before the colon is changed.
fn readable_limit(limit: &str) -> String {
    match limit.split_once(':') {
        Some((name, text)) => format!("{}:{text}", name.replace('_', " ")),
        None => limit.to_owned(),
    }
}

/// What does not stand beside the headline already.
fn less_grave(warnings: &[Warning]) -> Vec<WarningView> {
    let groups = WarningGroup::of(warnings);
    groups.iter().filter(|group| group.gravity != Gravity::Grave).map(warning).collect()
}

fn warning(group: &WarningGroup) -> WarningView {
    let more = group.places.len().saturating_sub(MOST_PLACES);
    let mut places: Vec<String> = group.places.iter().take(MOST_PLACES).cloned().collect();
    if more > 0 {
        places.push(format!("and {}", plural(more, "more place")));
    }
    WarningView { text: group.text.clone(), places: (!places.is_empty()).then(|| places.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Analysis, sample};

    fn rendered(analysis: &Analysis) -> String {
        render(&RunReport::new(analysis), &Details::default()).unwrap()
    }

    #[test]
    fn limits_are_named_without_underscores() {
        assert_eq!(readable_limit("memory_peak: read from a_file"), "memory peak: read from a_file");
        assert_eq!(readable_limit("no_name"), "no_name");
    }

    /// What stands between two marks, figures left out: they have tests of their own.
    fn section(page: &str, id: &str) -> String {
        let start = page.find(&format!("<section id=\"{id}\"")).unwrap();
        let end = start + page[start..].find("</section>").unwrap();
        page[start..end].lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_failures_read_well() {
        let page = rendered(sample::studied());
        insta::assert_snapshot!(section(&page, "failures"));
    }

    #[test]
    fn the_answer_comes_first() {
        let analysis = sample::studied();
        let page = rendered(analysis);
        let answer = page.find(analysis.headline.speed.as_deref().unwrap()).unwrap();
        assert!(answer < page.find("<table").unwrap() && answer < page.find("<figure").unwrap());
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        let page = rendered(sample::studied());
        for outside in ["src=\"", "@import", "url(", "<link", "<iframe", "fetch(", "XMLHttp", "innerHTML"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("default-src 'none'"));
        for address in ["http://", "https://"].iter().flat_map(|start| page.split(start).skip(1)) {
            assert!(address.starts_with("www.w3.org/2000/svg"), "{}", &address[..40.min(address.len())]);
        }
    }

    #[test]
    fn names_with_markup_are_shown_as_text() {
        let page = rendered(sample::attacked());
        assert!(!page.contains("<img") && !page.contains("<script>alert") && !page.contains("onerror=\""));
        assert_eq!(page.matches("<script").count(), 2, "the data and our own script");
        assert!(page.contains("&lt;img"));
        let visible = &page[page.find("<body>").unwrap()..page.find("id=\"data\"").unwrap()];
        assert!(!visible.contains('\u{202e}') && !visible.contains('\u{1b}'));
        let longest = visible.split(['<', '>']).map(str::len).max().unwrap();
        assert!(longest < 10_000, "an enormous name came through whole");
    }

    #[test]
    fn a_quick_run_says_so() {
        let mut run = sample::study();
        assert!(!rendered(&Analysis::of(&run)).contains(NOT_FOR_PUBLICATION));
        run.manifest.quick = true;
        assert!(rendered(&Analysis::of(&run)).contains(NOT_FOR_PUBLICATION));
    }

    #[test]
    fn a_run_without_trials_still_has_a_page() {
        rendered(&Analysis::of(&sample::empty()));
    }
}
