//! The data that the page carries for its script: the tables as CSV, and timelines of trials. It is JSON inside of a script
//! element, with `<` written as an escape, so that no name in it can end the element.

use miette::IntoDiagnostic;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

use crate::report::RunReport;
use crate::report::details::{Details, Timeline};
use crate::report::render::csv;
use crate::suite::Outcome;

/// A larger CSV is not repeated in the page, which links to its file.
const LARGEST_CSV: usize = 400_000;

#[derive(Serialize)]
struct PageData<'a> {
    csv: BTreeMap<&'static str, String>,
    outcomes: [&'static str; Outcome::ALL.len()],
    /// What bars refer to by position, each name once.
    names: Vec<&'a str>,
    timelines: Vec<TimelineData<'a>>,
}

#[derive(Serialize)]
struct TimelineData<'a> {
    trial: &'a str,
    label: &'a str,
    verdict: &'static str,
    seconds: f64,
    stages: Vec<(f64, &'a str)>,
    lanes: &'a [String],
    /// Lane, start and length in milliseconds, outcome, name; five numbers for each bar.
    bars: Vec<u64>,
    left_out: usize,
}

pub fn render(report: &RunReport, details: &Details) -> miette::Result<String> {
    let mut tables = BTreeMap::new();
    for table in report.written_tables() {
        let text = csv::render(report, table)?;
        if text.len() <= LARGEST_CSV {
            tables.insert(table.name, text);
        }
    }
    let mut names = Names::default();
    let timelines = details.timelines.iter().map(|timeline| timeline_data(timeline, &mut names)).collect();
    let data = PageData { csv: tables, outcomes: Outcome::ALL.map(Outcome::name), timelines, names: names.in_order };
    embedded(&data)
}

/// JSON that can stand inside of a script element.
pub fn embedded(data: &impl Serialize) -> miette::Result<String> {
    let json = serde_json::to_string(data).into_diagnostic()?;
    Ok(json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"))
}

#[derive(Default)]
struct Names<'a> {
    in_order: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn place(&mut self, name: &'a str) -> usize {
        *self.places.entry(name).or_insert_with(|| {
            self.in_order.push(name);
            self.in_order.len() - 1
        })
    }
}

fn timeline_data<'a>(timeline: &'a Timeline, names: &mut Names<'a>) -> TimelineData<'a> {
    let milliseconds = |seconds: f64| (seconds * 1000.0).round().max(0.0) as u64;
    let mut bars = Vec::with_capacity(timeline.bars.len() * 5);
    for bar in &timeline.bars {
        let outcome = Outcome::ALL.iter().position(|outcome| *outcome == bar.outcome).unwrap_or_default();
        let (start, length) = (milliseconds(bar.start), milliseconds(bar.seconds));
        bars.extend([bar.lane as u64, start, length, outcome as u64, names.place(&bar.test) as u64]);
    }
    TimelineData {
        trial: &timeline.trial,
        label: &timeline.label,
        verdict: timeline.verdict,
        seconds: timeline.seconds,
        stages: timeline.stages.iter().map(|stage| (stage.start, stage.purpose.as_str())).collect(),
        lanes: &timeline.lanes,
        bars,
        left_out: timeline.left_out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn no_name_can_end_the_element_and_all_come_back() {
        let text = render(&RunReport::new(sample::attacked()), &Details::default()).unwrap();
        assert!(!text.contains('<') && !text.contains('>'));
        let data: serde_json::Value = serde_json::from_str(&text).unwrap();
        let subjects = data["csv"]["subjects"].as_str().unwrap();
        assert!(subjects.contains("</td><script>alert('x')</script>"));
    }
}
