//! Whatever was measured: no form of the report says *faster*, colours a cell green, shows a card or averages a number where the
//! interval includes 1, where tests did not overlap in every run, or where there are fewer than five sound pairs.
//!
//! What may be said is found here once more, from the generated times alone.

use std::path::Path;

use proptest::prelude::*;

use super::Analysis;
use super::RunReport;
use super::details::Details;
use super::render::{html, json, latex, markdown, numbers, terminal};
use super::sample::{self, MeasuredPair};
use super::tables::TableDefinition;
use crate::stats;
use crate::stats::speed_judgement::SpeedJudgement;
use crate::store::record::Verdict;

const GREEN: &str = "\u{1b}[32m";

/// Pairs of one subject: around a true speedup, with little or much noise, now and then without overlap or with a failing run.
fn pairs() -> impl Strategy<Value = Vec<MeasuredPair>> {
    let truth = prop::sample::select(vec![0.5, 0.95, 1.0, 1.06, 1.6, 2.5]);
    let noise = prop::sample::select(vec![0.0, 0.03, 0.4]);
    let overlap = prop::sample::select(vec![0.0, 0.9, 1.0, 1.0, 1.0]);
    let clean = prop::sample::select(vec![0.9, 1.0, 1.0, 1.0]);
    (truth, noise, overlap, clean).prop_flat_map(|(truth, noise, overlap, clean)| {
        let pair = (10.0..12.0, -1.0..1.0, prop::bool::weighted(overlap), prop::bool::weighted(clean)).prop_map(
            move |(baseline, shift, overlaps, is_clean): (f64, f64, bool, bool)| MeasuredPair {
                baseline,
                candidate: baseline / truth * (1.0 + noise * shift),
                overlaps,
                verdict: if is_clean { Verdict::Clean } else { Verdict::Failing },
            },
        );
        prop::collection::vec(pair, 1..9)
    })
}

/// What may be said of these pairs, by the rule and not by the code that the report uses.
fn allowed(pairs: &[MeasuredPair]) -> SpeedJudgement {
    if pairs.iter().any(|pair| pair.verdict != Verdict::Clean) {
        return SpeedJudgement::NotCompared;
    }
    if !pairs.iter().all(|pair| pair.overlaps) {
        return SpeedJudgement::NoConcurrency;
    }
    if pairs.len() < 5 {
        return SpeedJudgement::NotEnoughRuns;
    }
    let times: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.baseline, pair.candidate)).collect();
    let interval = stats::paired_ratio_interval(&times, 0.95, 1).unwrap().interval;
    match (interval.low > 1.0, interval.high < 1.0) {
        (true, _) => SpeedJudgement::Faster,
        (_, true) => SpeedJudgement::Slower,
        _ => SpeedJudgement::NoDifferenceShown,
    }
}

/// The page without its styles, its script and its data.
fn visible(page: &str) -> String {
    let body = &page[page.find("<body>").unwrap()..page.find("id=\"data\"").unwrap()];
    body.to_lowercase()
}

/// Tables and figures of speed, with their classes.
fn speed_section(page: &str) -> &str {
    let Some(start) = page.find("<section id=\"speed\"") else { return "" };
    &page[start..start + page[start..].find("</section>").unwrap()]
}

/// The tables of speed as a terminal with colours shows them.
fn coloured_speedups(analysis: &Analysis) -> String {
    let style = terminal::Style { width: 120, colour: true };
    let report = RunReport::new(analysis);
    let names = ["speedups", "speedups-study", "savings", "averages"];
    let tables = names.into_iter().flat_map(|name| report.tables(TableDefinition::find(name).unwrap()));
    tables.map(|table| terminal::render_table(&table, style)).collect()
}

fn every_text(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let style = |colour| terminal::Style { width: 120, colour };
    let report = RunReport::new(analysis);
    vec![
        ("page", visible(&html::render(&report, &Details::default()).unwrap())),
        ("terminal", terminal::render(analysis, style(false)).to_lowercase()),
        ("markdown", markdown::render(&report).to_lowercase()),
        ("LaTeX", latex::render(analysis, &report.document_tables()).to_lowercase()),
        ("numbers.tex", numbers::render(analysis).to_lowercase().replace("comparisonsfaster}{0}", "")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_is_claimed_that_the_pairs_do_not_show(subjects in prop::collection::vec(pairs(), 1..3)) {
        let analysis = Analysis::of(&sample::measured(&subjects));
        let expected: Vec<SpeedJudgement> = subjects.iter().map(|pairs| allowed(pairs)).collect();
        let judged: Vec<SpeedJudgement> = analysis.speedups.iter().map(|row| row.judgement).collect();
        prop_assert_eq!(&judged, &expected);
        let faster = expected.iter().filter(|judgement| **judgement == SpeedJudgement::Faster).count();
        prop_assert_eq!((analysis.headline.gained, analysis.headline.best.is_some()), (faster, faster > 0));
        let answers = expected.iter().filter(|judgement| judgement.is_answer()).count();
        prop_assert_eq!(analysis.averages[0].subjects, answers);
        prop_assert_eq!(analysis.averages[0].average.is_some(), answers > 0);

        let document = json::render(&RunReport::new(&analysis), Path::new("x"), None).unwrap();
        let speed = document["headline"]["speed"].as_str().unwrap();
        prop_assert_eq!(speed.contains("faster"), faster > 0, "{}", speed);
        let page = html::render(&RunReport::new(&analysis), &Details::default()).unwrap();
        let speed = speed_section(&page);
        let green = [" good\"", "\"good\"", "\"good ", " good ", "shade p"].iter().any(|class| speed.contains(class));
        prop_assert_eq!(green, faster > 0, "green cells");
        prop_assert_eq!(coloured_speedups(&analysis).contains(GREEN), faster > 0);
        prop_assert_eq!(page.contains("Best speedup"), faster > 0);
        prop_assert_eq!(numbers::render(&analysis).contains("\\paradeBestSpeedup}"), faster > 0);
        if faster == 0 {
            for (form, text) in every_text(&analysis) {
                let place = text.find("faster").map(|at| text[..at].chars().rev().take(80).collect::<String>());
                prop_assert!(place.is_none(), "{} says faster after (reversed) {:?}", form, place);
            }
            prop_assert!(!document["tables"]["speedups"].to_string().contains("faster"));
        }
    }
}

#[test]
fn one_pair_on_one_core_is_no_headline() {
    let pair = MeasuredPair { baseline: 15.8, candidate: 10.0, overlaps: false, verdict: Verdict::Clean };
    let mut run = sample::measured(&[vec![pair]]);
    let analysis = Analysis::of(&run);
    assert_eq!(
        analysis.headline.speed.as_deref(),
        Some("No statement about the speed of classes is possible: no two tests ran at the same time.")
    );
    run.trials.iter_mut().for_each(|trial| trial.concurrency.max = 4);
    let analysis = Analysis::of(&run);
    assert_eq!(
        analysis.headline.speed.as_deref(),
        Some("Not enough runs to tell whether classes saves time over sequential (1 pair; five are needed).")
    );
    assert_eq!((analysis.headline.best, analysis.averages[0].average), (None, None));
}

#[test]
fn a_wide_interval_is_told_with_its_method() {
    let times =
        [(10.0, 14.0), (18.0, 9.0), (9.0, 20.0), (25.0, 8.0), (11.0, 19.0), (20.0, 10.0), (8.0, 21.0), (24.0, 12.0)];
    let pair = |(baseline, candidate)| MeasuredPair { baseline, candidate, overlaps: true, verdict: Verdict::Clean };
    let analysis = Analysis::of(&sample::measured(&[times.map(pair).to_vec()]));
    let speed = analysis.headline.speed.unwrap();
    assert!(speed.starts_with("No difference shown between classes and sequential (1.11×, 95 % CI 0."), "{speed}");
    assert!(speed.ends_with(" (t), 8 pairs)."), "{speed}");
}
