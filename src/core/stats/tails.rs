//! Tails of the normal and of Student's distribution, to the precision that p-values are promised with.
//!
//! The normal is statrs', whose relative error was found below 2·10⁻¹⁰ down to Φ(−37.5). Student's is not: with 10⁵
//! degrees of freedom statrs is off by 3·10⁻¹⁰ in the tail and by 3·10⁻⁶ in quantiles, with 10⁷ by 4·10⁻⁸, as it subtracts
//! large logarithms of the gamma function. Here their difference is taken from a series.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

use super::{Alternative, Method};

/// `Φ(z)`.
pub(super) fn normal_below(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// `Φ(−z)`, without the cancellation of `1 − Φ(z)`.
pub(super) fn normal_above(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// The `z` with `Φ(z) = p`; infinite at 0 and 1.
pub(super) fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p.clamp(0.0, 1.0))
}

/// The `z` that a standard normal value exceeds in absolute terms with probability `1 − level`.
pub(super) fn normal_critical(level: f64) -> f64 {
    -normal_quantile((1.0 - level) / 2.0)
}

/// The p-value of a statistic that is `distance` above its expectation, has this standard deviation, and moves in steps of
/// one: half a step is given away (continuity correction), towards the expectation.
pub(super) fn corrected_normal_p(distance: f64, deviation: f64, alternative: Alternative) -> f64 {
    if deviation <= 0.0 {
        return 1.0;
    }
    let p = match alternative {
        Alternative::Greater => normal_above((distance - 0.5) / deviation),
        Alternative::Less => normal_below((distance + 0.5) / deviation),
        Alternative::TwoSided if distance == 0.0 => 1.0,
        Alternative::TwoSided => 2.0 * normal_above(((distance.abs() - 0.5) / deviation).abs()),
    };
    p.min(1.0)
}

/// `P(|T| ≥ |t|)` for Student's distribution: `I_x(ν/2, ½)` with `x = ν / (ν + t²)`, the regularised incomplete beta
/// function.
pub(super) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_nan() || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    let a = freedom / 2.0;
    let square = t / freedom * t;
    let (x, rest) = (1.0 / (1.0 + square), square / (1.0 + square));
    if x == 0.0 || rest == 0.0 {
        return if rest == 0.0 { 1.0 } else { 0.0 };
    }
    // x^a · (1 − x)^½ / B(a, ½)
    let front = (-a * square.ln_1p()).exp() * rest.sqrt() * gamma_ratio(a) / std::f64::consts::PI.sqrt();
    if x < (a + 1.0) / (a + 2.5) {
        front * beta_fraction(a, 0.5, x) / a
    } else {
        1.0 - front * beta_fraction(0.5, a, rest) / 0.5
    }
}

/// The `t` with `P(|T| ≥ t) = 1 − level`, by Newton's steps within a bracket that shrinks.
pub(super) fn student_critical(level: f64, freedom: f64) -> f64 {
    let tail = 1.0 - level;
    let (mut low, mut high) = (0.0, 2.0);
    while student_two_sided(high, freedom) > tail && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    let mut t = f64::midpoint(low, high);
    for _ in 0..200 {
        let excess = student_two_sided(t, freedom) - tail;
        if excess > 0.0 {
            low = t
        } else {
            high = t
        }
        let newton = t + excess / (2.0 * student_density(t, freedom));
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - t).abs() <= 1e-15 * t {
            return next;
        }
        t = next;
    }
    t
}

fn student_density(t: f64, freedom: f64) -> f64 {
    let power = (-(freedom + 1.0) / 2.0 * (t / freedom * t).ln_1p()).exp();
    power * gamma_ratio(freedom / 2.0) / (freedom * std::f64::consts::PI).sqrt()
}

/// `Γ(a + ½) / Γ(a)`; for large `a` by the series `√a · (1 − 1/(8a) + 1/(128a²) + 5/(1024a³) − 21/(32768a⁴) − …)`.
fn gamma_ratio(a: f64) -> f64 {
    if a < 40.0 {
        return (ln_gamma(a + 0.5) - ln_gamma(a)).exp();
    }
    const TERMS: [f64; 7] =
        [1.0, -1.0 / 8.0, 1.0 / 128.0, 5.0 / 1024.0, -21.0 / 32768.0, -399.0 / 262_144.0, 869.0 / 4_194_304.0];
    a.sqrt() * TERMS.iter().rev().fold(0.0, |sum, term| sum / a + term)
}

/// The continued fraction of the incomplete beta function, by the method of Lentz (Abramowitz and Stegun 26.5.8).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / kept(1.0 + term * d);
            c = kept(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

/// The p-value of an exact test from both of its tails: `P(X ≤ x)` and `P(X ≥ x)`, each with `x` itself.
pub(super) fn exact_p(at_most: f64, at_least: f64, alternative: Alternative) -> f64 {
    let p = match alternative {
        Alternative::TwoSided => 2.0 * at_most.min(at_least),
        Alternative::Less => at_most,
        Alternative::Greater => at_least,
    };
    p.min(1.0)
}

/// Up to what an exact p is counted.
pub(super) struct Feasible {
    /// Unasked.
    pub unasked: bool,
    /// When it is wished for, and may take its time.
    pub on_request: bool,
}

/// What is taken where nothing was asked for: exact as long as it is feasible. `None` if the wish cannot be met.
pub(super) fn chosen_method(wish: Option<Method>, feasible: &Feasible) -> Option<Method> {
    match wish {
        Some(Method::Exact) => feasible.on_request.then_some(Method::Exact),
        Some(method) => Some(method),
        None if feasible.unasked => Some(Method::Exact),
        None => Some(Method::Asymptotic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_degree_of_freedom_is_cauchys_distribution() {
        for t in [1e-8, 0.3, 1.0, 7.0, 1e6] {
            let cauchy = 2.0 / std::f64::consts::PI * (1.0_f64 / t).atan();
            assert!((student_two_sided(t, 1.0) / cauchy - 1.0).abs() < 1e-13, "{t}");
        }
        assert_eq!(student_two_sided(0.0, 5.0), 1.0);
        assert_eq!(student_two_sided(f64::INFINITY, 5.0), 0.0);
        assert!(student_two_sided(f64::NAN, 5.0).is_nan());
    }

    #[test]
    fn critical_values_and_tails_are_inverse() {
        for freedom in [1.0, 2.5, 9.0, 79.0, 81.0, 1e5, 1e7] {
            for level in [0.5, 0.9, 0.95, 0.999] {
                let tail = student_two_sided(student_critical(level, freedom), freedom);
                assert!((tail / (1.0 - level) - 1.0).abs() < 1e-11, "{level} {freedom} {tail}");
            }
        }
    }

    #[test]
    fn with_many_degrees_of_freedom_it_is_the_normal() {
        assert!((student_critical(0.95, 1e8) - normal_critical(0.95)).abs() < 1e-7);
    }
}
