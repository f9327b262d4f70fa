//! Statistics: pure functions on slices of numbers, each documented with its formula and where it comes from.
//!
//! Nothing here knows a file, a test or a trial. A function that has no answer for its input (an empty slice, a sample of
//! one where spread is asked for, a value that is not finite) says so with `None`; none of them panics. Every function is
//! compared with SciPy and R in `reference_tests`.

mod bootstrap;
mod correlation;
mod effect;
mod fieller;
mod log_ratio;
mod mann_whitney;
mod multiple;
mod power;
mod proportion;
mod quantile;
mod ranks;
mod ratio;
mod ratio_difference;
mod regression;
mod scaling;
mod shift;
mod signed_ranks;
pub mod speed_judgement;
mod steadiness;
mod summary;
mod tails;
mod wilcoxon;

#[cfg(test)]
mod reference_tests;

pub use bootstrap::{RESAMPLES, resamples};
pub use correlation::{Correlation, pearson, pearson_at, spearman, spearman_at};
pub use effect::{
    EffectSize, Magnitude, a12, a12_effect, cliffs_delta, cliffs_delta_effect, rank_biserial, rank_biserial_effect,
};
pub use fieller::{Fieller, fieller_paired, fieller_unpaired};
pub use log_ratio::{
    FEWEST_FOR_BOOTSTRAP, FEWEST_FOR_LOG_RATIOS, FEWEST_FOR_RATIO_BOOTSTRAP, IntervalMethod, RatioInterval,
    independent_ratio_interval, log_ratio_interval, paired_ratio_interval, unpaired_log_ratio_interval,
};
pub use mann_whitney::{MannWhitney, mann_whitney, mann_whitney_with};
pub use multiple::{benjamini_hochberg, holm};
pub use power::{pairs_needed, smallest_corrected_p, smallest_p_of, smallest_reachable_p};
pub use proportion::{Fisher, fisher_exact, wilson};
pub use quantile::{QuantileType, median, quantile, quantile_of_type};
pub use ratio::{
    ratio_interval, ratio_of_means, ratio_of_medians, ratio_of_medians_interval, unpaired_ratio_interval,
    unpaired_ratio_of_medians_interval,
};
pub use ratio_difference::difference_of_ratios_interval;
pub use regression::{Regression, regression};
pub use scaling::{AmdahlFit, UslFit, amdahl_fit, efficiency, karp_flatt, knee, usl_fit};
pub use shift::{Shift, hodges_lehmann, hodges_lehmann_two_sample};
pub use steadiness::{Drift, drift, outliers};
pub use summary::{
    BoxPlot, box_plot, coefficient_of_variation, geometric_mean, harmonic_mean, mean, sample_sd, trimmed_mean,
    weighted_mean,
};
pub use wilcoxon::{EXACT_UP_TO, Wilcoxon, WilcoxonOptions, Zeros, wilcoxon, wilcoxon_with};

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Widened to the estimate, should rounding have put that outside.
    fn around(self, estimate: f64) -> Interval {
        Interval { low: self.low.min(estimate), high: self.high.max(estimate) }
    }
}

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By counting all arrangements.
    Exact,
    /// By a normal distribution that the statistic approaches.
    Asymptotic,
}

impl Method {
    pub const ALL: [Method; 2] = [Method::Exact, Method::Asymptotic];

    pub fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Asymptotic => "asymptotic",
        }
    }
}

/// What is held against the null hypothesis: that the first sample differs, is smaller, or is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alternative {
    #[default]
    TwoSided,
    Less,
    Greater,
}

impl Alternative {
    pub const ALL: [Alternative; 3] = [Alternative::TwoSided, Alternative::Less, Alternative::Greater];

    pub fn name(self) -> &'static str {
        match self {
            Alternative::TwoSided => "two-sided",
            Alternative::Less => "less",
            Alternative::Greater => "greater",
        }
    }

    /// The same question with the samples swapped.
    fn turned(self) -> Alternative {
        match self {
            Alternative::TwoSided => Alternative::TwoSided,
            Alternative::Less => Alternative::Greater,
            Alternative::Greater => Alternative::Less,
        }
    }
}

/// The values, if there are any and all are finite.
fn sound(values: &[f64]) -> Option<&[f64]> {
    (!values.is_empty() && values.iter().all(|x| x.is_finite())).then_some(values)
}

/// Both columns of pairs, under the same condition.
fn columns(pairs: &[(f64, f64)]) -> Option<(Vec<f64>, Vec<f64>)> {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    (sound(&a).is_some() && sound(&b).is_some()).then_some((a, b))
}

/// A confidence level strictly between 0 and 1.
fn is_level(level: f64) -> bool {
    level > 0.0 && level < 1.0
}

/// A sum whose rounding errors are carried along (Neumaier 1974): summands of both signs may cancel.
fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0);
    for x in values {
        let next = total + x;
        lost += if total.abs() >= x.abs() { (total - next) + x } else { (x - next) + total };
        total = next;
    }
    if lost.is_finite() { total + lost } else { total }
}
