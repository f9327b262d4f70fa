//! The comparison for a person: a table, warnings, and a sentence.

use std::fmt::Write as _;

use parade::stats::IntervalMethod;
use parade::stats::speed_judgement::{SpeedJudgement, lacking};
use parade::wording::plural;

use super::super::output::{one_line, table};
use super::comparison::{Comparison, Ends, FiellerSet, Ratio};

pub fn page(comparison: &Comparison) -> String {
    let mut page = title(comparison);
    page.push_str("\n\n");
    page.push_str(&table(summary_rows(comparison)));
    page.push('\n');
    page.push_str(&table(result_rows(comparison)));
    if !comparison.warnings.is_empty() {
        page.push_str("\nWarnings\n");
    }
    for warning in &comparison.warnings {
        let _ = writeln!(page, "  - {}", one_line(warning));
    }
    let _ = writeln!(page, "\n{}", conclusion(comparison));
    page
}

fn title(comparison: &Comparison) -> String {
    let left_out = match comparison.left_out {
        0 => String::new(),
        rows => format!(", {} without a number left out", plural(rows, "row")),
    };
    let [a, b] = names(comparison);
    format!("{}: {a} against {b}, {}{left_out}", one_line(&comparison.file), plural(comparison.n, "pair"))
}

/// Names of columns can hold anything.
fn names(comparison: &Comparison) -> [String; 2] {
    [&comparison.baseline, &comparison.candidate].map(|name| one_line(name))
}

fn summary_rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let cell = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let row = |name: &str, summary: &super::comparison::Summary| {
        let values = [summary.mean, summary.median, summary.sd, summary.minimum, summary.maximum];
        std::iter::once(one_line(name)).chain(values.map(cell)).collect()
    };
    vec![
        ["", "mean", "median", "deviation", "smallest", "largest"].map(str::to_owned).to_vec(),
        row(&comparison.baseline, &comparison.summary.baseline),
        row(&comparison.candidate, &comparison.summary.candidate),
    ]
}

fn result_rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let ratio = &comparison.ratio;
    let interval = |low: Option<f64>, high: Option<f64>| low.zip(high).map(|(low, high)| Ends { low, high });
    let percent = format!("{} % interval", number(comparison.level * 100.0));
    let effect = |name: &str, value: Option<f64>, interval: Option<&Ends>, note: String| {
        let ends =
            interval.map_or_else(|| "–".to_owned(), |ends| format!("{} to {}", number(ends.low), number(ends.high)));
        vec![name.to_owned(), value.map_or_else(|| "–".to_owned(), number), ends, note]
    };
    let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
    let test = |name: &str, p: Option<f64>, note: String| {
        vec![name.to_owned(), p.map_or_else(|| "–".to_owned(), |p| format!("p = {}", number(p))), String::new(), note]
    };
    let means = interval(ratio.ci_low, ratio.ci_high);
    let medians = interval(ratio.median_ci_low, ratio.median_ci_high);
    vec![
        vec![String::new(), String::new(), percent, String::new()],
        effect("ratio of means", ratio.mean, means.as_ref(), means_note(ratio)),
        effect("ratio of medians", ratio.median, medians.as_ref(), medians_note(medians.as_ref())),
        effect(
            "Hodges-Lehmann shift",
            comparison.hodges_lehmann,
            comparison.hodges_lehmann_interval.as_ref(),
            names(comparison).join(" − "),
        ),
        effect("A12", comparison.a12, comparison.a12_interval.as_ref(), word(comparison.a12_magnitude)),
        effect(
            "Cliff's delta",
            comparison.cliffs_delta,
            comparison.cliffs_delta_interval.as_ref(),
            word(comparison.cliffs_delta_magnitude),
        ),
        effect(
            "rank-biserial",
            comparison.rank_biserial,
            comparison.rank_biserial_interval.as_ref(),
            word(comparison.rank_biserial_magnitude),
        ),
        test("Wilcoxon", comparison.wilcoxon.p, signed_rank_note(comparison)),
        test("Mann-Whitney", comparison.mann_whitney.p, rank_sum_note(comparison)),
    ]
}

/// How an interval was found.
fn method(name: Option<&str>) -> Option<String> {
    let known = IntervalMethod::ALL.into_iter().find(|method| Some(method.name()) == name);
    known.map(|method| method.explanation().to_owned())
}

fn medians_note(interval: Option<&Ends>) -> String {
    interval.map(|_| IntervalMethod::BcaBootstrap.explanation().to_owned()).unwrap_or_default()
}

fn means_note(ratio: &Ratio) -> String {
    let notes = [method(ratio.ci_method), ratio.fieller.as_ref().map(fieller)];
    notes.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn fieller(set: &FiellerSet) -> String {
    match (set.kind, set.low, set.high) {
        ("bounded", Some(low), Some(high)) => format!("Fieller {} to {}", number(low), number(high)),
        ("outside", Some(low), Some(high)) => format!("Fieller: not between {} and {}", number(low), number(high)),
        _ => "Fieller: no ratio is excluded".to_owned(),
    }
}

fn signed_rank_note(comparison: &Comparison) -> String {
    let test = &comparison.wilcoxon;
    let Some((statistic, method)) = test.statistic.zip(test.method) else { return "no pair differs".to_owned() };
    let zeros = match test.zeros {
        0 => String::new(),
        zeros => format!(", {} equal ({})", plural(zeros, "pair"), comparison.zero),
    };
    format!("{}, {method}, W = {}{zeros}", comparison.alternative, number(statistic))
}

fn rank_sum_note(comparison: &Comparison) -> String {
    let test = &comparison.mann_whitney;
    let Some((u, method)) = test.u.zip(test.method) else { return String::new() };
    format!("{}, {method}, U = {}, as if rows were not pairs", comparison.alternative, number(u))
}

fn conclusion(comparison: &Comparison) -> String {
    [size(comparison), Some(shown(comparison)), Some(test(comparison))]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// With the interval that the judgement goes by, which is not the one of the table if another level was asked for.
fn size(comparison: &Comparison) -> Option<String> {
    let [a, b] = names(comparison);
    let ratio = number(comparison.ratio.mean?);
    let by = &comparison.judged_by;
    let interval = match (by.ci_low, by.ci_high) {
        (Some(low), Some(high)) => {
            let level = number(by.level * 100.0);
            let method = method(by.ci_method).unwrap_or_default();
            format!("{level} % interval {} to {}, {method}, ", number(low), number(high))
        }
        _ => String::new(),
    };
    Some(format!("On average {a} is {ratio} times {b} ({interval}{}).", plural(by.pairs, "pair")))
}

/// What the interval shows, by the rule of reports.
fn shown(comparison: &Comparison) -> String {
    let [a, b] = names(comparison);
    match comparison.judgement {
        SpeedJudgement::Faster => format!("Read as times, {b} is faster than {a}."),
        SpeedJudgement::Slower => format!("Read as times, {b} is slower than {a}."),
        SpeedJudgement::NoDifferenceShown => {
            format!("No difference shown between {a} and {b}. This does not prove that there is none.")
        }
        SpeedJudgement::NotEnoughRuns | SpeedJudgement::NoConcurrency => {
            format!("Not enough runs to tell ({}).", lacking(comparison.n))
        }
        SpeedJudgement::NotCompared => format!("{a} and {b} have no ratio."),
    }
}

fn test(comparison: &Comparison) -> String {
    let [a, b] = names(comparison);
    let Some(p) = comparison.wilcoxon.p else {
        return format!("{a} and {b} are equal in every row, so there is nothing to test.");
    };
    let claim = match comparison.alternative {
        "less" => format!("that {a} is smaller"),
        "greater" => format!("that {a} is greater"),
        _ => "two-sided".to_owned(),
    };
    format!("Wilcoxon's test gives p = {} ({claim}).", number(p))
}

/// Four digits that count; very small and very large numbers with an exponent.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e9).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let before_point = magnitude.log10().floor() as i32 + 1;
    let decimals = (4 - before_point).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use parade::stats::{Alternative, Zeros};

    use super::super::StatsOptions;
    use super::*;

    fn compared(pairs: &[(f64, f64)]) -> Comparison {
        let options = StatsOptions {
            file: "times.csv".into(),
            baseline: "sequential".to_owned(),
            candidate: "parallel".to_owned(),
            alternative: Alternative::TwoSided,
            zeros: Zeros::Wilcox,
            method: None,
            level: 0.95,
            seed: 1,
            json: false,
        };
        Comparison::of(pairs, 1, &options)
    }

    #[test]
    fn a_person_sees_a_table_and_a_sentence() {
        let pairs: Vec<_> =
            (0..12).map(|i| (10.0 + f64::from(i * 7 % 5) / 10.0, 5.0 + f64::from(i * 5 % 7) / 10.0)).collect();
        insta::assert_snapshot!(page(&compared(&pairs)));
    }

    #[test]
    fn equal_columns_are_told_as_such() {
        let page = page(&compared(&[(1.0, 1.0), (2.0, 2.0)]));
        assert!(page.contains("no pair differs") && page.ends_with("there is nothing to test.\n"), "{page}");
        assert!(!page.contains("NaN"), "{page}");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, 2.0133, 12345.6, 0.00048828125, 1e-12, -3.5, 2.9999999].map(number);
        assert_eq!(shown, ["0", "1", "2.013", "12346", "0.0004883", "1.00e-12", "-3.5", "3"]);
    }
}
