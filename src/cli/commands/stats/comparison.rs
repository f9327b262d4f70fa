//! All that the statistics say about two columns, as the document that `--json` prints.

use parade::columns;
use parade::stats::speed_judgement::{self, Design, ObservedConcurrency, SpeedJudgement, compare_pairs};
use parade::stats::{self, EffectSize, Fieller, Interval, WilcoxonOptions, Zeros};
use parade::wording::{counted, plural};
use serde::Serialize;

use super::StatsOptions;

/// A drift less likely than this is worth a word.
const DRIFTING: f64 = 0.01;

/// Only additions: scripts read these names.
#[derive(Debug, Serialize)]
pub struct Comparison {
    pub file: String,
    pub baseline: String,
    pub candidate: String,
    /// Rows with both numbers.
    pub n: usize,
    /// Rows without.
    pub left_out: usize,
    pub alternative: &'static str,
    pub zero: &'static str,
    pub level: f64,
    pub seed: u64,
    pub wilcoxon: SignedRank,
    pub mann_whitney: RankSum,
    pub a12: Option<f64>,
    pub a12_interval: Option<Ends>,
    pub a12_magnitude: Option<&'static str>,
    pub cliffs_delta: Option<f64>,
    pub cliffs_delta_interval: Option<Ends>,
    pub cliffs_delta_magnitude: Option<&'static str>,
    pub rank_biserial: Option<f64>,
    pub rank_biserial_interval: Option<Ends>,
    pub rank_biserial_magnitude: Option<&'static str>,
    pub ratio: Ratio,
    /// What the columns show, read as times: of the candidate, by the rule of reports.
    pub judgement: SpeedJudgement,
    /// Always by the same level and seed, whatever `--level` and `--seed` are.
    pub judged_by: JudgedBy,
    pub hodges_lehmann: Option<f64>,
    pub hodges_lehmann_interval: Option<Ends>,
    /// The smallest p that so many pairs that differ can give in the exact test of this alternative.
    pub smallest_p: f64,
    pub summary: Summaries,
    pub warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct SignedRank {
    pub statistic: Option<f64>,
    pub p: Option<f64>,
    pub method: Option<&'static str>,
    pub w_plus: Option<f64>,
    pub w_minus: Option<f64>,
    /// Pairs that do not differ.
    pub zeros: usize,
}

#[derive(Debug, Serialize)]
pub struct RankSum {
    pub u: Option<f64>,
    pub p: Option<f64>,
    pub method: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub struct Ratio {
    pub mean: Option<f64>,
    pub median: Option<f64>,
    /// Of the ratio of means.
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// `log_ratio_t` for 3 to 29 pairs of positive numbers, `bca_bootstrap` from 30 on.
    pub ci_method: Option<&'static str>,
    /// By the BCa bootstrap, from six pairs on.
    pub median_ci_low: Option<f64>,
    pub median_ci_high: Option<f64>,
    pub resamples: usize,
    pub fieller: Option<FiellerSet>,
}

#[derive(Debug, Serialize)]
pub struct JudgedBy {
    pub design: Design,
    pub pairs: usize,
    pub level: f64,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    pub ci_method: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub struct FiellerSet {
    /// `bounded`, `outside` (all but what lies between the ends) or `everything`.
    pub kind: &'static str,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct Ends {
    pub low: f64,
    pub high: f64,
}

#[derive(Debug, Serialize)]
pub struct Summaries {
    pub baseline: Summary,
    pub candidate: Summary,
}

#[derive(Debug, Serialize)]
pub struct Summary {
    pub mean: Option<f64>,
    pub median: Option<f64>,
    pub sd: Option<f64>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
}

impl Comparison {
    /// Of at least one pair.
    pub fn of(pairs: &[(f64, f64)], left_out: usize, options: &StatsOptions) -> Comparison {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let level = options.level;
        let a12 = stats::a12_effect(&a, &b, level);
        let delta = stats::cliffs_delta_effect(&a, &b, level);
        let biserial = stats::rank_biserial_effect(pairs, level);
        let shift = stats::hodges_lehmann(pairs, level);
        let ratio = ratio(pairs, options);
        let shown = compare_pairs(pairs, ObservedConcurrency::NotInQuestion);
        let named = [(options.baseline.as_str(), a.as_slice()), (&options.candidate, &b)];
        Comparison {
            file: columns::named(&options.file),
            baseline: options.baseline.clone(),
            candidate: options.candidate.clone(),
            n: pairs.len(),
            left_out,
            alternative: options.alternative.name(),
            zero: options.zeros.name(),
            level,
            seed: options.seed,
            wilcoxon: signed_rank(pairs, options),
            mann_whitney: rank_sum(&a, &b, options),
            a12: a12.map(|effect| effect.value),
            a12_interval: interval_of(a12),
            a12_magnitude: word_of(a12),
            cliffs_delta: delta.map(|effect| effect.value),
            cliffs_delta_interval: interval_of(delta),
            cliffs_delta_magnitude: word_of(delta),
            rank_biserial: biserial.map(|effect| effect.value),
            rank_biserial_interval: interval_of(biserial),
            rank_biserial_magnitude: word_of(biserial),
            judgement: shown.judgement,
            judged_by: JudgedBy {
                design: Design::Paired,
                pairs: pairs.len(),
                level: speed_judgement::LEVEL,
                ci_low: shown.low(),
                ci_high: shown.high(),
                ci_method: shown.method(),
            },
            hodges_lehmann: shift.map(|shift| shift.estimate),
            hodges_lehmann_interval: shift.and_then(|shift| shift.interval).map(ends),
            smallest_p: stats::smallest_p_of(differing(pairs), options.alternative),
            summary: Summaries { baseline: summary(&a), candidate: summary(&b) },
            warnings: warnings(pairs, named, &ratio, shift.is_some_and(|shift| shift.interval.is_none()), options),
            ratio,
        }
    }
}

fn differing(pairs: &[(f64, f64)]) -> usize {
    pairs.iter().filter(|(a, b)| a - b != 0.0).count()
}

fn ends(interval: Interval) -> Ends {
    Ends { low: interval.low, high: interval.high }
}

fn interval_of(effect: Option<EffectSize>) -> Option<Ends> {
    effect.and_then(|effect| effect.interval).map(ends)
}

fn word_of(effect: Option<EffectSize>) -> Option<&'static str> {
    effect.map(|effect| effect.magnitude.name())
}

fn signed_rank(pairs: &[(f64, f64)], options: &StatsOptions) -> SignedRank {
    let wish = WilcoxonOptions { alternative: options.alternative, zeros: options.zeros, method: options.method };
    let test = stats::wilcoxon_with(pairs, wish);
    // Where no pair differs there is no p, but both sums are known.
    let n = pairs.len() as f64;
    let of_zeros = if options.zeros == Zeros::Split { n * (n + 1.0) / 4.0 } else { 0.0 };
    SignedRank {
        zeros: pairs.len() - differing(pairs),
        statistic: Some(test.as_ref().map_or(of_zeros, |test| test.statistic)),
        p: test.as_ref().map(|test| test.p),
        method: test.as_ref().map(|test| test.method.name()),
        w_plus: Some(test.as_ref().map_or(of_zeros, |test| test.positive)),
        w_minus: Some(test.as_ref().map_or(of_zeros, |test| test.negative)),
    }
}

fn rank_sum(a: &[f64], b: &[f64], options: &StatsOptions) -> RankSum {
    let test = stats::mann_whitney_with(a, b, options.alternative, options.method);
    RankSum {
        u: test.as_ref().map(|test| test.u),
        p: test.as_ref().map(|test| test.p),
        method: test.as_ref().map(|test| test.method.name()),
    }
}

fn ratio(pairs: &[(f64, f64)], options: &StatsOptions) -> Ratio {
    let found = stats::paired_ratio_interval(pairs, options.level, options.seed);
    let means = found.map(|found| found.interval);
    let medians = (pairs.len() >= stats::FEWEST_FOR_BOOTSTRAP)
        .then(|| stats::ratio_of_medians_interval(pairs, options.level, options.seed))
        .flatten();
    Ratio {
        mean: stats::ratio_of_means(pairs),
        median: stats::ratio_of_medians(pairs),
        ci_low: means.map(|interval| interval.low),
        ci_high: means.map(|interval| interval.high),
        ci_method: found.map(|found| found.method.name()),
        median_ci_low: medians.map(|interval| interval.low),
        median_ci_high: medians.map(|interval| interval.high),
        resamples: stats::resamples(pairs.len()),
        fieller: stats::fieller_paired(pairs, options.level).map(fieller),
    }
}

fn fieller(set: Fieller) -> FiellerSet {
    let (kind, interval) = match set {
        Fieller::Bounded(interval) => ("bounded", Some(interval)),
        Fieller::Outside(interval) => ("outside", Some(interval)),
        Fieller::Everything => ("everything", None),
    };
    FiellerSet { kind, low: interval.map(|i| i.low), high: interval.map(|i| i.high) }
}

fn summary(values: &[f64]) -> Summary {
    let plot = stats::box_plot(values);
    Summary {
        mean: stats::mean(values),
        median: stats::median(values),
        sd: stats::sample_sd(values),
        minimum: plot.as_ref().map(|plot| plot.minimum),
        maximum: plot.as_ref().map(|plot| plot.maximum),
    }
}

/// What a reader should know before believing the numbers, and why some are not there.
fn warnings(
    pairs: &[(f64, f64)],
    columns: [(&str, &[f64]); 2],
    ratio: &Ratio,
    lacks_shift_interval: bool,
    options: &StatsOptions,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let count = differing(pairs);
    if count == 0 {
        warnings.push("no pair differs: there is nothing to test, and no rank-biserial effect".to_owned());
    } else if stats::smallest_p_of(count, options.alternative) > 0.05 {
        let differing = counted(count, "pair that differs", "pairs that differ");
        let alternative = options.alternative.name();
        warnings.push(format!("{differing} can never reach p ≤ 0.05 in the exact Wilcoxon test ({alternative})"));
    }
    if pairs.len() == 1 {
        warnings.push("one pair shows no spread, so there are no deviations and no intervals".to_owned());
    } else if pairs.len() < stats::FEWEST_FOR_LOG_RATIOS {
        let pairs = plural(pairs.len(), "pair");
        warnings.push(format!("{pairs} are too few for an interval of the ratio"));
    } else if pairs.len() < stats::FEWEST_FOR_BOOTSTRAP {
        let pairs = plural(pairs.len(), "pair");
        warnings.push(format!(
            "{pairs} are too few for a bootstrap: the interval of the ratio of means is the t interval of the log ratios, and the \
             ratio of medians has none"
        ));
    }
    if pairs.len() > 1 && lacks_shift_interval {
        let pairs = plural(pairs.len(), "pair");
        warnings.push(format!("{pairs} are too few for an interval of the Hodges-Lehmann shift at this level"));
    }
    warnings.extend(missing_ratios(pairs.len(), columns[1], ratio));
    for (name, values) in columns {
        warnings.extend(unsteadiness(name, values));
    }
    warnings
}

fn missing_ratios(pairs: usize, (divisor, values): (&str, &[f64]), ratio: &Ratio) -> Vec<String> {
    let is_zero = |center: Option<f64>| center == Some(0.0);
    let parts = [
        ("mean", is_zero(stats::mean(values)), ratio.mean, ratio.ci_low),
        ("median", is_zero(stats::median(values)), ratio.median, ratio.median_ci_low),
    ];
    let mut missing: Vec<String> = parts
        .into_iter()
        .filter_map(|(center, is_zero, value, low)| match (value, low) {
            (None, _) if !is_zero => {
                Some(format!("the ratio of {center}s is too large for a floating-point number: rescale the columns"))
            }
            (None, _) => Some(format!("the {center} of `{divisor}` is zero: there is no ratio of {center}s")),
            (_, None) if pairs >= stats::FEWEST_FOR_BOOTSTRAP => Some(format!(
                "the {center} of `{divisor}` may be zero: the ratio of {center}s has no connected interval"
            )),
            _ => None,
        })
        .collect();
    if pairs > 1 && ratio.fieller.is_none() && values.iter().all(|value| *value == 0.0) {
        missing.push(format!("`{divisor}` is zero throughout: Fieller's set is not defined"));
    }
    missing
}

fn unsteadiness(name: &str, values: &[f64]) -> Vec<String> {
    let mut found = Vec::new();
    let far = stats::outliers(values);
    if !far.is_empty() {
        let rows: Vec<String> = far.iter().take(5).map(|index| (index + 1).to_string()).collect();
        let more = if far.len() > rows.len() { ", …" } else { "" };
        let what = plural(far.len(), "outlier");
        found.push(format!(
            "`{name}` has {what} (pair {}{more}); that moves the means, which are judged, but hardly medians and ranks",
            rows.join(", ")
        ));
    }
    if let Some(drift) = stats::drift(values).filter(|drift| drift.p < DRIFTING) {
        let way = if drift.tau > 0.0 { "rises" } else { "falls" };
        found.push(format!(
            "`{name}` {way} from row to row (Mann-Kendall p = {:.2e}, τ = {:.2}): rows are not independent",
            drift.p, drift.tau
        ));
    }
    found
}
