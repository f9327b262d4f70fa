//! Fieller's confidence set of a ratio of means (Fieller 1954): by Student's distribution instead of a bootstrap, and honest
//! where the divisor may be zero.

use super::summary::unit_of;
use super::tails::student_critical;
use super::{Interval, columns, is_level, mean, sound, sum};

/// All ratios `ρ` that a test of `mean(a) − ρ·mean(b) = 0` does not reject.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fieller {
    /// The divisor is clearly not zero: an interval.
    Bounded(Interval),
    /// The divisor may be zero, the dividend not: everything but the open interval between these two ends.
    Outside(Interval),
    /// Both may be zero: no ratio is excluded.
    Everything,
}

impl Fieller {
    /// The interval, where the set is one.
    pub fn interval(self) -> Option<Interval> {
        match self {
            Fieller::Bounded(interval) => Some(interval),
            Fieller::Outside(_) | Fieller::Everything => None,
        }
    }

    /// The set of all ratios times this factor; none where an end is no number any more.
    fn times(self, factor: f64) -> Option<Self> {
        let all = |interval: Interval| {
            let (low, high) = (interval.low * factor, interval.high * factor);
            (low.is_finite() && high.is_finite()).then_some(Interval { low, high })
        };
        match self {
            Fieller::Bounded(interval) => all(interval).map(Fieller::Bounded),
            Fieller::Outside(interval) => all(interval).map(Fieller::Outside),
            Fieller::Everything => Some(Fieller::Everything),
        }
    }

    pub fn contains(self, ratio: f64) -> bool {
        match self {
            Fieller::Bounded(interval) => interval.low <= ratio && ratio <= interval.high,
            Fieller::Outside(interval) => ratio <= interval.low || interval.high <= ratio,
            Fieller::Everything => true,
        }
    }
}

/// Means, with the variances and the covariance of these means.
struct Moments {
    a: f64,
    b: f64,
    variance_a: f64,
    variance_b: f64,
    covariance: f64,
}

/// For pairs: `t` has `n − 1` degrees of freedom. Needs two pairs.
pub fn fieller_paired(pairs: &[(f64, f64)], level: f64) -> Option<Fieller> {
    let (a, b) = columns(pairs).filter(|_| pairs.len() > 1 && is_level(level))?;
    let (unit_a, unit_b) = (unit_of(&a), unit_of(&b));
    if (unit_a, unit_b) != (1.0, 1.0) {
        let scaled: Vec<(f64, f64)> = a.iter().zip(&b).map(|(a, b)| (a / unit_a, b / unit_b)).collect();
        return fieller_paired(&scaled, level)?.times(unit_a / unit_b);
    }
    let (center_a, center_b) = (mean(&a)?, mean(&b)?);
    let n = pairs.len() as f64;
    let of_means = |x: &[f64], cx: f64, y: &[f64], cy: f64| {
        sum(x.iter().zip(y).map(|(x, y)| (x - cx) * (y - cy))) / ((n - 1.0) * n)
    };
    let moments = Moments {
        a: center_a,
        b: center_b,
        variance_a: of_means(&a, center_a, &a, center_a),
        variance_b: of_means(&b, center_b, &b, center_b),
        covariance: of_means(&a, center_a, &b, center_b),
    };
    moments.set(student_critical(level, n - 1.0))
}

/// For independent samples, whose variances need not be equal: the degrees of freedom of `t` are those of Welch and
/// Satterthwaite for `mean(a) − ρ·mean(b)` at the estimated `ρ` (as Tamhane and Logan 2004 do). Needs two values in each.
pub fn fieller_unpaired(a: &[f64], b: &[f64], level: f64) -> Option<Fieller> {
    if a.len() < 2 || b.len() < 2 || !is_level(level) {
        return None;
    }
    let (a, b) = (sound(a)?, sound(b)?);
    let moments = Moments {
        a: mean(a)?,
        b: mean(b)?,
        variance_a: variance_of_mean(a)?,
        variance_b: variance_of_mean(b)?,
        covariance: 0.0,
    };
    let ratio = moments.a / moments.b;
    let (of_a, of_b) = (moments.variance_a, ratio.powi(2) * moments.variance_b);
    let (free_a, free_b) = ((a.len() - 1) as f64, (b.len() - 1) as f64);
    let freedom = (of_a + of_b).powi(2) / (of_a.powi(2) / free_a + of_b.powi(2) / free_b);
    // Without any spread, or with a divisor of zero, the formula has no value: the smaller sample's freedom is safe.
    let freedom = if freedom.is_finite() { freedom } else { free_a.min(free_b) };
    moments.set(student_critical(level, freedom))
}

fn variance_of_mean(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    Some(super::sample_sd(values)?.powi(2) / n)
}

impl Moments {
    /// The solutions `ρ` of `(a − ρb)² ≤ t²·(v_a − 2ρ·c + ρ²·v_b)`: a quadratic inequality `Aρ² − 2Bρ + C ≤ 0` with
    /// `A = b² − t²v_b`, `B = ab − t²c`, `C = a² − t²v_a`.
    fn set(&self, t: f64) -> Option<Fieller> {
        let square = t * t;
        let leading = self.b * self.b - square * self.variance_b;
        let middle = self.a * self.b - square * self.covariance;
        let constant = self.a * self.a - square * self.variance_a;
        if ![leading, middle, constant].iter().all(|x| x.is_finite()) || self.b == 0.0 && leading == 0.0 {
            return None;
        }
        let discriminant = middle * middle - leading * constant;
        if leading > 0.0 {
            // The estimate itself is a solution, so a discriminant below zero is rounding.
            let root = discriminant.max(0.0).sqrt();
            return Some(Fieller::Bounded(ends(leading, middle, constant, root).around(self.a / self.b)));
        }
        if leading == 0.0 || discriminant < 0.0 {
            return Some(Fieller::Everything);
        }
        Some(Fieller::Outside(ends(leading, middle, constant, discriminant.sqrt())))
    }
}

/// Both roots, the one that would cancel taken from their product.
fn ends(leading: f64, middle: f64, constant: f64, root: f64) -> Interval {
    let larger = if middle >= 0.0 { middle + root } else { middle - root };
    if larger == 0.0 {
        return Interval { low: 0.0, high: 0.0 };
    }
    let (one, other) = (larger / leading, constant / larger);
    Interval { low: one.min(other), high: one.max(other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn tiny_and_huge_pairs_have_the_same_set() {
        let pairs = [(10.0, 5.0), (11.0, 5.2), (9.5, 5.1), (10.4, 4.9)];
        let usual = fieller_paired(&pairs, 0.95).unwrap().interval().unwrap();
        for unit in [1e-300, 1e300] {
            let scaled = pairs.map(|(a, b)| (a * unit, b * unit));
            let set = fieller_paired(&scaled, 0.95).unwrap().interval().unwrap();
            assert!((set.low - usual.low).abs() < 1e-9 && (set.high - usual.high).abs() < 1e-9, "{set:?}");
        }
        let apart = pairs.map(|(a, b)| (a * 1e300, b * 1e-300));
        assert_eq!(fieller_paired(&apart, 0.95), None, "the ratio is no number");
    }

    #[test]
    fn a_clear_divisor_gives_an_interval_around_the_ratio() {
        let pairs = [(10.0, 5.0), (11.0, 5.2), (9.5, 5.1), (10.4, 4.9)];
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        for set in [fieller_paired(&pairs, 0.95), fieller_unpaired(&a, &b, 0.95)].map(Option::unwrap) {
            let interval = set.interval().unwrap();
            assert!(interval.low < 2.02 && 2.02 < interval.high, "{interval:?}");
        }
    }

    #[test]
    fn a_divisor_that_may_be_zero_leaves_the_set_unbounded() {
        let (clear, unclear) = ([10.0, 11.0, 9.5, 10.4], [1.0, -1.2, 0.9, -0.5]);
        let outside = fieller_unpaired(&clear, &unclear, 0.95).unwrap();
        assert!(matches!(outside, Fieller::Outside(gap) if gap.low < 0.0 && gap.high > 0.0), "{outside:?}");
        assert_eq!((outside.interval(), outside.contains(0.0), outside.contains(1e9)), (None, false, true));
        assert_eq!(fieller_unpaired(&unclear, &unclear, 0.95), Some(Fieller::Everything));
    }

    #[test]
    fn without_spread_the_set_is_a_point() {
        let point = Some(Fieller::Bounded(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(fieller_paired(&[(4.0, 2.0); 3], 0.95), point);
        assert_eq!(fieller_unpaired(&[4.0; 3], &[2.0; 3], 0.95), point);
        assert_eq!(fieller_paired(&[(4.0, 0.0); 3], 0.95), None);
        assert_eq!(fieller_paired(&[(4.0, 2.0)], 0.95), None);
        assert_eq!(fieller_paired(&[(4.0, f64::INFINITY); 3], 0.95), None);
    }

    /// A binomial count of 4,000 at 0.95 is between 3,745 and 3,855 with all but certainty.
    #[test]
    fn nineteen_of_twenty_sets_hold_the_true_ratio() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut noise = || (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>();
        let (mut paired, mut unpaired) = (0, 0);
        for _ in 0..4000 {
            let pairs: Vec<_> = (0..10)
                .map(|_| {
                    let shared = noise();
                    (12.0 + shared + noise(), 4.0 + shared)
                })
                .collect();
            paired += usize::from(fieller_paired(&pairs, 0.95).unwrap().contains(3.0));
            let a: Vec<f64> = (0..8).map(|_| 12.0 + 2.0 * noise()).collect();
            let b: Vec<f64> = (0..12).map(|_| 4.0 + noise()).collect();
            unpaired += usize::from(fieller_unpaired(&a, &b, 0.95).unwrap().contains(3.0));
        }
        assert!((3745..=3855).contains(&paired), "{paired} of 4000 pairs");
        assert!((3745..=3855).contains(&unpaired), "{unpaired} of 4000 samples");
    }
}
