//! What more cores bring: speedups read as efficiency, as a serial fraction, and as a law that tells where it ends.

use super::sum;

/// Speedup over cores. `None` unless both are above zero.
pub fn efficiency(speedup: f64, cores: f64) -> Option<f64> {
    (is_positive(speedup) && is_positive(cores)).then(|| speedup / cores)
}

/// The serial fraction that a speedup on `p` cores reveals, `(1/s − 1/p) / (1 − 1/p)` (Karp and Flatt 1990): constant over `p`
/// where Amdahl's law holds, growing where overhead grows, below zero where the speedup is more than linear. `None` unless
/// there is more than one core.
pub fn karp_flatt(speedup: f64, cores: f64) -> Option<f64> {
    (is_positive(speedup) && cores.is_finite() && cores > 1.0)
        .then(|| (1.0 / speedup - 1.0 / cores) / (1.0 - 1.0 / cores))
}

fn is_positive(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

/// Amdahl's law, `S(p) = 1 / (f + (1 − f)/p)` (1967).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmdahlFit {
    /// `f`, between 0 and 1.
    pub serial: f64,
    /// The share of the variance of the speedups that the law explains; below zero where their mean explains more. `None` if
    /// all speedups are alike, and where there are no more numbers of cores above one than the law has parameters: it then goes
    /// through every point, whatever they are.
    pub r_squared: Option<f64>,
}

impl AmdahlFit {
    pub fn speedup(&self, cores: f64) -> f64 {
        1.0 / (self.serial + (1.0 - self.serial) / cores)
    }

    /// What no number of cores exceeds, `1/f`; `None` if nothing is serial.
    pub fn limit(&self) -> Option<f64> {
        (self.serial > 0.0).then(|| 1.0 / self.serial)
    }

    /// Where speedup times efficiency is largest, `(1 − f)/f` cores (Eager, Zahorjan and Lazowska 1989), but at least one.
    pub fn knee(&self) -> Option<f64> {
        (self.serial > 0.0).then(|| ((1.0 - self.serial) / self.serial).max(1.0))
    }
}

/// Fits Amdahl's law to points `(cores, speedup)` by least squares of the relative times `1/S`, which are linear in `f`:
/// `f = Σuv/Σu²` with `u = 1 − 1/p`, `v = 1/S − 1/p`, brought into `[0, 1]`. `None` without a point of more than one core, or if a
/// number is not above zero.
pub fn amdahl_fit(points: &[(f64, f64)]) -> Option<AmdahlFit> {
    let points = sound_points(points)?;
    let serial_over = |(cores, _): &(f64, f64)| 1.0 - 1.0 / cores;
    let above = sum(points.iter().map(|point| serial_over(point) * (1.0 / point.1 - 1.0 / point.0)));
    let below = sum(points.iter().map(|point| serial_over(point).powi(2)));
    let fit = AmdahlFit { serial: (above / below).clamp(0.0, 1.0), r_squared: None };
    Some(AmdahlFit { r_squared: explained(points, 1, |cores| fit.speedup(cores)), ..fit })
}

/// The universal scalability law, `S(p) = p / (1 + σ(p − 1) + κp(p − 1))` (Gunther 1993): `σ` is what has to wait, `κ` what has to be
/// agreed upon between any two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UslFit {
    pub sigma: f64,
    pub kappa: f64,
    /// As in [`AmdahlFit`].
    pub r_squared: Option<f64>,
}

impl UslFit {
    pub fn speedup(&self, cores: f64) -> f64 {
        cores / (1.0 + self.sigma * (cores - 1.0) + self.kappa * cores * (cores - 1.0))
    }

    /// The cores beyond which more of them make it slower, `√((1 − σ)/κ)`, at least one; `None` if there are none.
    pub fn peak(&self) -> Option<f64> {
        (self.kappa > 0.0).then(|| ((1.0 - self.sigma).max(0.0) / self.kappa).sqrt().max(1.0))
    }

    /// The cores at which speedup times efficiency is largest (Eager, Zahorjan and Lazowska 1989), at least one: the root of
    /// `3κp² + (σ − κ)p − (1 − σ) = 0`. `None` if every core counts fully.
    pub fn knee(&self) -> Option<f64> {
        let (sigma, kappa) = (self.sigma, self.kappa);
        if sigma <= 0.0 && kappa <= 0.0 {
            return None;
        }
        let (linear, constant) = (sigma - kappa, (1.0 - sigma).max(0.0));
        let root = (linear * linear + 12.0 * kappa * constant).sqrt();
        // Of the two forms of the root the one that does not cancel.
        let cores = if linear >= 0.0 { 2.0 * constant / (linear + root) } else { (root - linear) / (6.0 * kappa) };
        Some(cores.max(1.0))
    }
}

/// Fits the law to points `(cores, speedup)` by least squares of `p/S − 1 = σ(p − 1) + κp(p − 1)`, neither coefficient below zero.
/// `None` without two different numbers of cores above one, or if a number is not above zero.
pub fn usl_fit(points: &[(f64, f64)]) -> Option<UslFit> {
    let points = sound_points(points)?;
    let several: Vec<f64> = points.iter().map(|(cores, _)| *cores).filter(|cores| *cores > 1.0).collect();
    if several.iter().all(|cores| *cores == several[0]) {
        return None;
    }
    let rows: Vec<[f64; 3]> =
        points.iter().map(|(cores, speedup)| [cores - 1.0, cores * (cores - 1.0), cores / speedup - 1.0]).collect();
    let (sigma, kappa) = non_negative(&rows);
    let fit = UslFit { sigma, kappa, r_squared: None };
    Some(UslFit { r_squared: explained(points, 2, |cores| fit.speedup(cores)), ..fit })
}

/// Least squares of `y = σu + κv` over rows `[u, v, y]` with `σ, κ ≥ 0`: the free solution, else the better one at an edge.
fn non_negative(rows: &[[f64; 3]]) -> (f64, f64) {
    let dot = |i: usize, j: usize| sum(rows.iter().map(|row| row[i] * row[j]));
    let (uu, vv, uv, uy, vy) = (dot(0, 0), dot(1, 1), dot(0, 1), dot(0, 2), dot(1, 2));
    let determinant = uu * vv - uv * uv;
    let free = ((uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant);
    if free.0 >= 0.0 && free.1 >= 0.0 {
        return free;
    }
    let missed =
        |(sigma, kappa): &(f64, f64)| sum(rows.iter().map(|row| (row[2] - sigma * row[0] - kappa * row[1]).powi(2)));
    let edges = [((uy / uu).max(0.0), 0.0), (0.0, (vy / vv).max(0.0))];
    if missed(&edges[0]) <= missed(&edges[1]) { edges[0] } else { edges[1] }
}

/// The measured point at which speedup times efficiency, `S²/p`, is largest; of several the one with the fewest cores.
pub fn knee(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if points.iter().any(|(cores, speedup)| !is_positive(*cores) || !is_positive(*speedup)) {
        return None;
    }
    let power = |(cores, speedup): &(f64, f64)| speedup * speedup / cores;
    points.iter().copied().min_by(|a, b| power(b).total_cmp(&power(a)).then(a.0.total_cmp(&b.0)))
}

fn sound_points(points: &[(f64, f64)]) -> Option<&[(f64, f64)]> {
    let sound = points.iter().all(|(cores, speedup)| is_positive(*speedup) && cores.is_finite() && *cores >= 1.0);
    (sound && points.iter().any(|(cores, _)| *cores > 1.0)).then_some(points)
}

fn explained(points: &[(f64, f64)], parameters: usize, law: impl Fn(f64) -> f64) -> Option<f64> {
    let mut counts: Vec<f64> = points.iter().map(|(cores, _)| *cores).filter(|cores| *cores > 1.0).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    if counts.len() <= parameters {
        return None;
    }
    let center = sum(points.iter().map(|(_, speedup)| *speedup)) / points.len() as f64;
    let missed = sum(points.iter().map(|(cores, speedup)| (speedup - law(*cores)).powi(2)));
    let spread = sum(points.iter().map(|(_, speedup)| (speedup - center).powi(2)));
    (spread > 0.0).then(|| 1.0 - missed / spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(law: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        [1.0, 2.0, 4.0, 8.0, 16.0].map(|cores| (cores, law(cores))).to_vec()
    }

    #[test]
    fn linear_speedup_has_no_serial_part() {
        assert_eq!((efficiency(6.0, 8.0), karp_flatt(8.0, 8.0)), (Some(0.75), Some(0.0)));
        let fit = amdahl_fit(&points(|cores| cores)).unwrap();
        assert_eq!((fit.serial, fit.limit(), fit.knee()), (0.0, None, None));
        let usl = usl_fit(&points(|cores| cores)).unwrap();
        assert_eq!((usl.sigma, usl.kappa, usl.peak(), usl.knee()), (0.0, 0.0, None, None));
    }

    #[test]
    fn what_is_no_speedup_fits_nothing() {
        assert_eq!((karp_flatt(1.0, 1.0), efficiency(f64::NAN, 2.0), efficiency(1.0, 0.0)), (None, None, None));
        for broken in [&[][..], &[(1.0, 1.0)], &[(2.0, 0.0)], &[(2.0, f64::NAN)], &[(0.5, 1.0), (2.0, 1.0)]] {
            assert_eq!((amdahl_fit(broken), usl_fit(broken)), (None, None));
        }
        assert_eq!(usl_fit(&[(1.0, 1.0), (4.0, 3.0)]), None);
        assert_eq!((knee(&[]), knee(&[(f64::NAN, 1.0)])), (None, None));
    }

    #[test]
    fn slower_with_more_cores_is_all_serial() {
        let fit = amdahl_fit(&[(1.0, 1.0), (4.0, 0.8)]).unwrap();
        assert_eq!((fit.serial, fit.limit(), fit.knee()), (1.0, Some(1.0), Some(1.0)));
    }

    #[test]
    fn a_law_through_every_point_explains_nothing() {
        assert_eq!(amdahl_fit(&[(1.0, 1.0), (2.0, 1.7)]).unwrap().r_squared, None);
        assert!(amdahl_fit(&[(1.0, 1.0), (2.0, 1.7), (4.0, 2.2)]).unwrap().r_squared.is_some());
        assert_eq!(usl_fit(&[(1.0, 1.0), (2.0, 1.7), (4.0, 2.2)]).unwrap().r_squared, None);
        assert!(usl_fit(&[(1.0, 1.0), (2.0, 1.7), (4.0, 2.2), (8.0, 2.4)]).unwrap().r_squared.is_some());
    }

    #[test]
    fn the_knee_of_points_is_where_speedup_times_efficiency_is_largest() {
        assert_eq!(knee(&[(1.0, 1.0), (2.0, 1.9), (4.0, 3.0), (8.0, 3.5)]), Some((4.0, 3.0)));
        assert_eq!(knee(&[(4.0, 2.0), (1.0, 1.0)]), Some((1.0, 1.0)));
    }

    proptest! {
        #[test]
        fn fits_recover_the_law_they_are_of(serial in 0.001f64..0.9, sigma in 0.0f64..0.5, kappa in 0.0001f64..0.05) {
            let amdahl = AmdahlFit { serial, r_squared: None };
            let fit = amdahl_fit(&points(|cores| amdahl.speedup(cores))).unwrap();
            prop_assert!((fit.serial - serial).abs() < 1e-9 && fit.r_squared.unwrap() > 1.0 - 1e-9);
            prop_assert!((karp_flatt(amdahl.speedup(7.0), 7.0).unwrap() - serial).abs() < 1e-9);
            let usl = UslFit { sigma, kappa, r_squared: None };
            let fit = usl_fit(&points(|cores| usl.speedup(cores))).unwrap();
            prop_assert!((fit.sigma - sigma).abs() < 1e-7 && (fit.kappa - kappa).abs() < 1e-7);
        }

        #[test]
        fn knees_and_peaks_are_maxima(sigma in 0.0f64..0.5, kappa in 0.0001f64..0.05) {
            let usl = UslFit { sigma, kappa, r_squared: None };
            let power = |cores: f64| usl.speedup(cores).powi(2) / cores;
            let (knee, peak) = (usl.knee().unwrap(), usl.peak().unwrap());
            for factor in [0.9, 1.1] {
                prop_assert!(usl.speedup(peak) >= usl.speedup((peak * factor).max(1.0)));
                prop_assert!(power(knee) >= power((knee * factor).max(1.0)) * (1.0 - 1e-12));
            }
            prop_assert!(knee <= peak * (1.0 + 1e-9));
            let amdahl = AmdahlFit { serial: sigma + 1e-3, r_squared: None };
            let usl = UslFit { sigma: sigma + 1e-3, kappa: 0.0, r_squared: None };
            prop_assert!((amdahl.knee().unwrap() - usl.knee().unwrap()).abs() < 1e-9 * amdahl.knee().unwrap());
        }
    }
}
