//! Every function against SciPy and R, on the cases that `scripts/stats-reference.py` and `.R` wrote: to a relative 10⁻⁹.

use std::collections::BTreeMap;

use super::*;

const TOLERANCE: f64 = 1e-9;

/// Of estimates that can be zero but for rounding. Values of p are compared without it.
const ROUNDING: f64 = 1e-12;

struct Case {
    function: String,
    options: Vec<String>,
    x: Vec<f64>,
    y: Vec<f64>,
    expected: Vec<f64>,
    place: String,
}

impl Case {
    fn pairs(&self) -> Vec<(f64, f64)> {
        self.x.iter().copied().zip(self.y.iter().copied()).collect()
    }

    fn number(&self, option: usize) -> f64 {
        self.options[option].parse().unwrap()
    }

    fn side(&self) -> Alternative {
        named(Alternative::ALL, Alternative::name, &self.options[0])
    }

    fn method(&self, option: usize) -> Option<Method> {
        (self.options[option] != "auto").then(|| named(Method::ALL, Method::name, &self.options[option]))
    }

    fn compare(&self, found: &[f64], rounding: f64) {
        assert_eq!(found.len(), self.expected.len(), "{}", self.place);
        for (found, expected) in found.iter().zip(&self.expected) {
            let same = found.is_nan() && expected.is_nan() || found == expected;
            let close = (found - expected).abs() <= TOLERANCE * expected.abs() + rounding;
            assert!(same || close, "{}: {found:e}, but the reference has {expected:e}", self.place);
        }
    }
}

fn named<T: Copy, const N: usize>(all: [T; N], name: fn(T) -> &'static str, text: &str) -> T {
    all.into_iter().find(|each| name(*each) == text).unwrap_or_else(|| panic!("no option {text}"))
}

fn numbers(field: &str) -> Vec<f64> {
    field.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn cases(file: &str, text: &str) -> Vec<Case> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let read = |(index, row): (usize, csv::Result<csv::StringRecord>)| {
        let row = row.unwrap();
        Case {
            function: row[0].to_owned(),
            options: row[1].split_whitespace().map(str::to_owned).collect(),
            x: numbers(&row[2]),
            y: numbers(&row[3]),
            expected: numbers(&row[4]),
            place: format!("{file} line {}, {} {}", index + 2, &row[0], &row[1]),
        }
    };
    reader.records().enumerate().map(read).collect()
}

/// Checks every case, and that there are enough of each kind.
fn check(file: &str, text: &str, least: &[(&str, usize)]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases(file, text) {
        check_case(&case);
        *seen.entry(case.function).or_default() += 1;
    }
    for (function, least) in least {
        let enough = seen.get(*function).is_some_and(|count| count >= least);
        assert!(enough, "too few cases of {function} in {file}: {seen:?}");
    }
    assert_eq!(seen.len(), least.len(), "{seen:?}");
}

fn check_case(case: &Case) {
    match case.function.as_str() {
        "wilcoxon" | "wilcoxon-p" => check_wilcoxon(case),
        "mann_whitney" => {
            let test = mann_whitney_with(&case.x, &case.y, case.side(), case.method(1)).unwrap();
            case.compare(&[test.u, test.p], 0.0);
        }
        "pearson" | "spearman" => check_correlation(case),
        "regression" | "lm" => check_regression(case),
        "drift" | "drift-tau-p" => check_drift(case),
        "means" => check_means(case),
        "quantiles" => {
            let found = QuantileType::ALL.map(|kind| quantile_of_type(&case.x, case.number(0), kind).unwrap());
            case.compare(&found, ROUNDING);
        }
        "fisher" => {
            let [a, b, c, d] = [0, 1, 2, 3].map(|cell| case.x[cell] as u64);
            case.compare(&[fisher_exact([[a, b], [c, d]], case.side()).unwrap().p], 0.0);
        }
        "wilson" => {
            let interval = wilson(case.x[0] as u64, case.x[1] as u64, case.number(0)).unwrap();
            case.compare(&[interval.low, interval.high], ROUNDING);
        }
        "holm" => case.compare(&holm(&case.x), 0.0),
        "benjamini_hochberg" => case.compare(&benjamini_hochberg(&case.x), 0.0),
        "cliffs_delta" => check_cliffs_delta(case),
        "fieller" => check_fieller(case),
        "log_ratio" => check_log_ratio(case),
        "hodges_lehmann" => check_shift(case, hodges_lehmann(&case.pairs(), case.number(0))),
        "hodges_lehmann_two_sample" => {
            check_shift(case, hodges_lehmann_two_sample(&case.x, &case.y, case.number(0)));
        }
        other => panic!("nobody checks {other}"),
    }
}

fn check_wilcoxon(case: &Case) {
    let zeros = named(Zeros::ALL, Zeros::name, &case.options[1]);
    let options = WilcoxonOptions { alternative: case.side(), zeros, method: case.method(2) };
    let test = wilcoxon_with(&case.pairs(), options).unwrap();
    let found = [test.statistic, test.p];
    case.compare(if case.function == "wilcoxon" { &found } else { &found[1..] }, 0.0);
}

fn check_correlation(case: &Case) {
    let correlation = if case.function == "pearson" { pearson } else { spearman };
    let found = correlation(&case.x, &case.y).unwrap();
    let (low, high) = found.interval.map_or((f64::NAN, f64::NAN), |interval| (interval.low, interval.high));
    // A correlation near zero is what is left of sums that cancel.
    let rounding = if found.p > 0.5 { ROUNDING } else { 0.0 };
    case.compare(&[found.r, found.p, low, high][..case.expected.len()], rounding);
}

fn check_regression(case: &Case) {
    let line = regression(&case.x, &case.y).unwrap();
    let (slope, intercept) = (line.slope_interval, line.intercept_interval);
    let errors = [line.slope_error, line.intercept_error];
    if case.function == "regression" {
        let coefficients = [line.slope, line.intercept, line.r_squared];
        return case.compare(&[&coefficients[..], &errors, &[line.slope_p]].concat(), ROUNDING);
    }
    let ends = [slope.low, slope.high, intercept.low, intercept.high];
    let rest = [line.slope_p, line.intercept_p, ends[0], ends[1], ends[2], ends[3], line.r_squared, line.residual_sd];
    case.compare(&[&[line.slope, line.intercept][..], &errors, &rest].concat(), ROUNDING);
}

fn check_drift(case: &Case) {
    let found = drift(&case.x).unwrap();
    assert_eq!(found.method.name(), case.options[0], "{}", case.place);
    case.compare(&[found.tau, found.p, found.slope][..case.expected.len()], ROUNDING);
}

fn check_means(case: &Case) {
    let found = [
        mean(&case.x),
        median(&case.x),
        geometric_mean(&case.x),
        harmonic_mean(&case.x),
        weighted_mean(&case.x, &case.y),
        trimmed_mean(&case.x, case.number(0)),
        sample_sd(&case.x),
    ];
    case.compare(&found.map(|value| value.unwrap_or(f64::NAN)), ROUNDING);
}

fn check_cliffs_delta(case: &Case) {
    let effect = cliffs_delta_effect(&case.x, &case.y, 0.95).unwrap();
    let interval = effect.interval.unwrap();
    case.compare(&[effect.value, interval.low, interval.high, a12(&case.x, &case.y).unwrap()], ROUNDING);
}

fn check_fieller(case: &Case) {
    let set = match case.options[0].as_str() {
        "paired" => fieller_paired(&case.pairs(), 0.95),
        _ => fieller_unpaired(&case.x, &case.y, 0.95),
    };
    let found = match set.unwrap() {
        Fieller::Bounded(interval) => [interval.low, interval.high, 1.0],
        Fieller::Outside(interval) => [interval.low, interval.high, -1.0],
        Fieller::Everything => [f64::NAN, f64::NAN, 0.0],
    };
    case.compare(&found, ROUNDING);
}

fn check_log_ratio(case: &Case) {
    let interval = match case.options[0].as_str() {
        "paired" => log_ratio_interval(&case.pairs(), 0.95),
        _ => unpaired_log_ratio_interval(&case.x, &case.y, 0.95),
    };
    let interval = interval.unwrap();
    case.compare(&[interval.low, interval.high], ROUNDING);
}

fn check_shift(case: &Case, shift: Option<Shift>) {
    let shift = shift.unwrap();
    let interval = shift.interval.unwrap();
    case.compare(&[shift.estimate, interval.low, interval.high], ROUNDING);
}

#[test]
fn all_agrees_with_scipy() {
    let least = [
        ("wilcoxon", 800),
        ("mann_whitney", 500),
        ("pearson", 180),
        ("spearman", 180),
        ("regression", 180),
        ("drift", 140),
        ("means", 110),
        ("quantiles", 460),
        ("fisher", 550),
        ("wilson", 150),
        ("benjamini_hochberg", 80),
        ("cliffs_delta", 120),
        ("fieller", 300),
        ("log_ratio", 200),
    ];
    check("stats-scipy.csv", include_str!("../../../tests/data/stats-scipy.csv"), &least);
}

#[test]
fn all_agrees_with_r() {
    let least = [
        ("wilcoxon-p", 400),
        ("mann_whitney", 400),
        ("hodges_lehmann", 130),
        ("hodges_lehmann_two_sample", 120),
        ("fisher", 240),
        ("wilson", 100),
        ("holm", 90),
        ("benjamini_hochberg", 90),
        ("pearson", 140),
        ("spearman", 140),
        ("lm", 140),
        ("drift-tau-p", 140),
        ("quantiles", 700),
    ];
    check("stats-r.csv", include_str!("../../../tests/data/stats-r.csv"), &least);
}
