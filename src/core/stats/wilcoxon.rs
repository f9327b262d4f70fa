//! Wilcoxon's signed-rank test for paired samples.

use super::ranks::tie_term;
pub use super::signed_ranks::EXACT_UP_TO;
use super::signed_ranks::{SignedRanks, feasible};
use super::tails::{chosen_method, corrected_normal_p, exact_p};
use super::{Alternative, Method};

#[derive(Debug, Clone, PartialEq)]
pub struct Wilcoxon {
    /// As SciPy gives it: the smaller of the two rank sums of a two-sided test, `W⁺` of a one-sided one.
    pub statistic: f64,
    pub p: f64,
    /// Pairs that differ.
    pub n: usize,
    /// Pairs that do not.
    pub zeros: usize,
    /// The sum of the ranks of positive differences.
    pub positive: f64,
    /// The sum of the ranks of negative differences.
    pub negative: f64,
    pub method: Method,
}

/// What becomes of pairs that do not differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zeros {
    /// They are left out before ranking (Wilcoxon 1945).
    #[default]
    Wilcox,
    /// They are ranked with the others, and their ranks then left out (Pratt 1959).
    Pratt,
    /// They are ranked with the others, and their ranks divided between both sums.
    Split,
}

impl Zeros {
    pub const ALL: [Zeros; 3] = [Zeros::Wilcox, Zeros::Pratt, Zeros::Split];

    /// As SciPy calls it.
    pub fn name(self) -> &'static str {
        match self {
            Zeros::Wilcox => "wilcox",
            Zeros::Pratt => "pratt",
            Zeros::Split => "zsplit",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WilcoxonOptions {
    pub alternative: Alternative,
    pub zeros: Zeros,
    /// Exact as long as it is feasible, unless told.
    pub method: Option<Method>,
}

/// The two-sided test, without the pairs that do not differ: [`wilcoxon_with`] has the formulas.
pub fn wilcoxon(pairs: &[(f64, f64)]) -> Option<Wilcoxon> {
    wilcoxon_with(pairs, WilcoxonOptions::default())
}

/// Tests whether the differences `a − b` of the pairs lie symmetrically around zero.
///
/// With the absolute differences ranked (ties share the mean of their ranks), `W⁺` sums the ranks of positive ones and
/// `W⁻` those of negative ones; with [`Zeros::Split`] each also gets half of the ranks of zeros.
/// - With up to [`EXACT_UP_TO`] pairs that differ (200 if [`Method::Exact`] is wished for), `p` is exact: the share of the `2ⁿ` ways to give signs to these very
///   ranks (those of differences other than zero) in which `W⁺` is as small (`less`) or as large (`greater`) as it is, or
///   twice the smaller of both. So it is exact with ties too, and conditional on how many zeros there are. Pratt's way and
///   the split then give the same p, as what zeros add is the same in all of these ways.
/// - Beyond, `z = (W⁺ − μ ∓ ½) / σ` with `μ = n(n + 1)/4` and `σ² = n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48` over groups of `t`
///   ties. For Pratt's way `n` counts the zeros too, `z(z + 1)/4` is taken from `μ` and `z(z + 1)(2z + 1)/24` from `σ²` for
///   `z` zeros (Cureton 1967), which are no ties. For the split `n` counts them, and they are a group of ties: as in SciPy.
///
/// `None` if no pair differs, if a value is not finite, or if [`Method::Exact`] is wished for and not feasible.
pub fn wilcoxon_with(pairs: &[(f64, f64)], options: WilcoxonOptions) -> Option<Wilcoxon> {
    if pairs.iter().any(|(a, b)| !a.is_finite() || !b.is_finite()) {
        return None;
    }
    let mut differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let zeros = differences.iter().filter(|d| **d == 0.0).count();
    if zeros == pairs.len() {
        return None;
    }
    if options.zeros == Zeros::Wilcox && zeros > 0 {
        differences.retain(|d| *d != 0.0);
    }
    let signed = Signed::of(&differences);
    let method = chosen_method(options.method, &feasible(&signed.ranks))?;
    let p = match method {
        Method::Exact => signed.exact_p(options.alternative),
        Method::Asymptotic => signed.asymptotic_p(options),
    };
    let (positive, negative) = signed.sums(options.zeros);
    let statistic = if options.alternative == Alternative::TwoSided { positive.min(negative) } else { positive };
    Some(Wilcoxon { statistic, p, n: pairs.len() - zeros, zeros, positive, negative, method })
}

/// Differences by sign and rank.
struct Signed {
    /// Doubled, of differences other than zero.
    ranks: Vec<u64>,
    /// Twice the sum of the ranks of positive differences.
    positive: u64,
    negative: u64,
    /// Zeros that were ranked.
    zeros: u64,
    /// Sizes of groups of equal absolute differences, the zeros' first if there are any.
    groups: Vec<u64>,
}

impl Signed {
    fn of(differences: &[f64]) -> Signed {
        // The bits of numbers that are not negative ascend as the numbers do, and leave one bit for the sign.
        let mut keys: Vec<u64> = differences.iter().map(|d| d.abs().to_bits() << 1 | u64::from(*d > 0.0)).collect();
        keys.sort_unstable();
        let (ranks, groups) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len()));
        let mut signed = Signed { ranks, positive: 0, negative: 0, zeros: 0, groups };
        let mut below = 0;
        for ties in keys.chunk_by(|a, b| a >> 1 == b >> 1) {
            let count = ties.len() as u64;
            signed.add(ties, 2 * below + count + 1);
            below += count;
        }
        signed
    }

    /// A group of equal absolute differences, with twice their rank.
    fn add(&mut self, ties: &[u64], rank: u64) {
        let count = ties.len() as u64;
        self.groups.push(count);
        if ties[0] == 0 {
            self.zeros = count;
            return;
        }
        let positive = ties.iter().map(|key| key & 1).sum::<u64>();
        self.positive += rank * positive;
        self.negative += rank * (count - positive);
        self.ranks.extend(std::iter::repeat_n(rank, ties.len()));
    }

    fn is_plain(&self) -> bool {
        self.zeros == 0 && self.groups.len() == self.ranks.len()
    }

    /// `W⁺` and `W⁻`.
    fn sums(&self, zeros: Zeros) -> (f64, f64) {
        let zeros = if zeros == Zeros::Split { self.zeros } else { 0 };
        // Half of 1 + … + z, doubled.
        let share = zeros * (zeros + 1) / 2;
        ((self.positive + share) as f64 / 2.0, (self.negative + share) as f64 / 2.0)
    }

    fn exact_p(&self, alternative: Alternative) -> f64 {
        let is_kept = self.is_plain() && self.ranks.len() <= EXACT_UP_TO;
        let ranks = if is_kept { SignedRanks::Plain(self.ranks.len()) } else { SignedRanks::Given(&self.ranks) };
        let tails = ranks.tails(self.positive);
        exact_p(tails.at_most, tails.at_least, alternative)
    }

    fn asymptotic_p(&self, options: WilcoxonOptions) -> f64 {
        let n = self.ranks.len() as f64 + self.zeros as f64;
        let mut expected = n * (n + 1.0) / 4.0;
        let mut variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
        let mut ties = tie_term(&self.groups);
        if options.zeros == Zeros::Pratt && self.zeros > 0 {
            let z = self.zeros as f64;
            expected -= z * (z + 1.0) / 4.0;
            variance -= z * (z + 1.0) * (2.0 * z + 1.0) / 24.0;
            ties = tie_term(&self.groups[1..]);
        }
        let (positive, _) = self.sums(options.zeros);
        corrected_normal_p(positive - expected, (variance - ties / 48.0).sqrt(), options.alternative)
    }
}

#[cfg(test)]
mod tests {
    use super::super::smallest_reachable_p;
    use super::*;
    use proptest::prelude::*;

    fn with(alternative: Alternative, zeros: Zeros) -> WilcoxonOptions {
        WilcoxonOptions { alternative, zeros, method: None }
    }

    #[test]
    fn equal_samples_cannot_be_tested() {
        assert_eq!(wilcoxon(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(wilcoxon(&[]), None);
        assert_eq!(wilcoxon(&[(f64::NAN, 1.0)]), None);
        assert_eq!(wilcoxon(&[(f64::INFINITY, 1.0), (2.0, 1.0)]), None);
    }

    #[test]
    fn one_side_is_half_of_both_when_all_signs_agree() {
        let pairs: Vec<_> = (1..=6).map(|i| (f64::from(i), 0.0)).collect();
        let p = |alternative| wilcoxon_with(&pairs, with(alternative, Zeros::Wilcox)).unwrap().p;
        assert_eq!(p(Alternative::TwoSided), 0.03125);
        assert_eq!(p(Alternative::Greater), 0.015625);
        assert_eq!(p(Alternative::Less), 1.0);
    }

    #[test]
    fn zeros_are_left_out_or_ranked() {
        // One zero, then |d| = 1, 2, 3: ranks 1..3 without it, 2..4 with it.
        let pairs = [(5.0, 5.0), (6.0, 5.0), (3.0, 5.0), (8.0, 5.0)];
        let sums = |zeros| {
            let test = wilcoxon_with(&pairs, with(Alternative::TwoSided, zeros)).unwrap();
            (test.positive, test.negative, test.n, test.zeros)
        };
        assert_eq!(sums(Zeros::Wilcox), (4.0, 2.0, 3, 1));
        assert_eq!(sums(Zeros::Pratt), (6.0, 3.0, 3, 1));
        assert_eq!(sums(Zeros::Split), (6.5, 3.5, 3, 1));
    }

    #[test]
    fn what_cannot_be_counted_is_not_called_exact() {
        let pairs: Vec<_> = (1..=51).map(|i| (f64::from(i), 0.0)).collect();
        let many: Vec<_> = (1..=201).map(|i| (f64::from(i), 0.0)).collect();
        let wish = WilcoxonOptions { method: Some(Method::Exact), ..WilcoxonOptions::default() };
        assert_eq!(wilcoxon_with(&many, wish), None);
        assert_eq!(wilcoxon_with(&many[1..], wish).unwrap().p, smallest_reachable_p(200));
        assert_eq!(wilcoxon_with(&pairs, wish).unwrap().p, smallest_reachable_p(51));
        assert_eq!(wilcoxon(&pairs).unwrap().method, Method::Asymptotic);
        assert_eq!(wilcoxon(&pairs[1..]).unwrap().method, Method::Exact);
        // Fifty differences above a million zeros.
        let mut many = vec![(1.0, 1.0); 1_000_000];
        many.extend_from_slice(&pairs[1..]);
        let pratt = wilcoxon_with(&many, with(Alternative::TwoSided, Zeros::Pratt)).unwrap();
        assert_eq!(pratt.method, Method::Asymptotic);
        assert!(pratt.p < 1e-9);
    }

    proptest! {
        #[test]
        fn swapping_the_samples_swaps_the_sides(pairs in prop::collection::vec((0u8..20, 0u8..20), 1..70), zeros in 0usize..3) {
            let zeros = Zeros::ALL[zeros];
            let forth: Vec<_> = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).collect();
            let back: Vec<_> = forth.iter().map(|(a, b)| (*b, *a)).collect();
            let p = |pairs: &[(f64, f64)], side| wilcoxon_with(pairs, with(side, zeros)).map(|test| (test.p, test.method));
            prop_assert_eq!(p(&forth, Alternative::TwoSided), p(&back, Alternative::TwoSided));
            prop_assert_eq!(p(&forth, Alternative::Less), p(&back, Alternative::Greater));
        }

        #[test]
        fn scale_and_order_do_not_matter(pairs in prop::collection::vec((0u8..20, 0u8..20), 1..60)) {
            let plain: Vec<_> = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).collect();
            let mut other: Vec<_> = plain.iter().map(|(a, b)| (a * 4.0 + 64.0, b * 4.0 + 64.0)).collect();
            other.reverse();
            prop_assert_eq!(wilcoxon(&plain), wilcoxon(&other));
        }

        #[test]
        fn p_is_no_smaller_than_reachable(pairs in prop::collection::vec((0.0f64..9.0, 0.0f64..9.0), 1..50)) {
            if let Some(result) = wilcoxon(&pairs) {
                prop_assert!(result.p <= 1.0 && result.p >= smallest_reachable_p(result.n) * (1.0 - 1e-12));
                prop_assert!(result.statistic <= (result.n * (result.n + 1)) as f64 / 4.0);
            }
        }
    }
}
