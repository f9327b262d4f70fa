//! The forecast beside what was measured: what a measurement contradicts is not told, and the contradiction is.

use super::{Check, Curve};

/// A model that is further off than this on the cores of this machine says nothing about others.
const MOST_OFF: f64 = 0.25;

/// A curve after it was held against measurements.
#[derive(Debug, Clone, PartialEq)]
pub enum Reconciled {
    Consistent(Curve),
    /// The curve without its bound, and why there is none.
    WithoutBound(Curve, String),
    /// Why there is no curve.
    Contradicted(String),
}

/// Is the model so far off in this check that it says nothing about other numbers of cores?
fn is_far_off(check: &Check) -> bool {
    check.error_percent.abs() > MOST_OFF * 100.0
}

/// `checks` are those of the curve's mode, of sequential runs for a curve of machines: what they show is what is tested here.
/// `measured` has the seconds of single runs with their cores.
pub fn reconciled(curve: Curve, checks: &[&Check], measured: &[(usize, f64)]) -> Reconciled {
    let Some(worst) = checks.iter().max_by(|a, b| a.error_percent.abs().total_cmp(&b.error_percent.abs())) else {
        return Reconciled::Contradicted(
            "the model could not be checked, which takes runs without failures on several cores".to_owned(),
        );
    };
    if is_far_off(worst) {
        let Check { way, cores, predicted_seconds, measured_seconds, error_percent, .. } = worst;
        return Reconciled::Contradicted(format!(
            "the model says {predicted_seconds:.1} s for {way} on {cores} cores, but {measured_seconds:.1} s were \
             measured ({error_percent:+.0} %)"
        ));
    }
    let fastest = measured.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    match (curve.bound_seconds, fastest) {
        (Some(bound), Some((on, seconds))) if seconds < bound => {
            let of = &worst.way;
            let why =
                format!("the model's {bound:.1} s is above the {seconds:.1} s that a run of {of} took on {on} cores");
            Reconciled::WithoutBound(Curve { bound_seconds: None, ..curve }, why)
        }
        _ => Reconciled::Consistent(curve),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MeanTime, Point, PredictionBasis};
    use super::*;

    fn curve(bound: f64) -> Curve {
        Curve {
            way: "classes".to_owned(),
            machines: false,
            points: vec![Point { cores: 2, seconds: 20.0 }],
            knee: None,
            peak: None,
            bound_seconds: Some(bound),
            bound_by: "a.LongTest".to_owned(),
        }
    }

    fn check(predicted: f64, measured: f64) -> Check {
        let time = MeanTime { seconds: measured, runs: 3, disturbed_runs: 0 };
        Check::of("classes", 2, predicted, time, PredictionBasis { runs: 1, made: 1, is_disturbed: false })
    }

    #[test]
    fn a_bound_that_a_run_went_below_is_not_told() {
        let near = check(12.0, 12.0);
        let Reconciled::WithoutBound(left, why) = reconciled(curve(17.0), &[&near], &[(2, 12.6), (2, 11.3)]) else {
            panic!("a run took 11.3 s")
        };
        assert_eq!(left.bound_seconds, None);
        assert!(why.contains("17.0 s") && why.contains("11.3 s"), "{why}");
        assert!(matches!(reconciled(curve(11.0), &[&near], &[(2, 11.3)]), Reconciled::Consistent(_)));
    }

    #[test]
    fn a_model_that_is_far_off_here_says_nothing_about_elsewhere() {
        let (far, near) = (check(22.0, 11.3), check(12.0, 11.3));
        let Reconciled::Contradicted(why) = reconciled(curve(1.0), &[&near, &far], &[(2, 11.3), (1, 22.0)]) else {
            panic!("twice as long")
        };
        assert!(why.contains("22.0 s") && why.contains("11.3 s") && why.contains("+95 %"), "{why}");
        for (predicted, measured, is_told) in [(7.6, 10.0, true), (6.8, 10.0, false), (5.7, 10.0, false)] {
            let found = reconciled(curve(1.0), &[&check(predicted, measured)], &[]);
            assert_eq!(matches!(found, Reconciled::Consistent(_)), is_told, "{predicted} for {measured}");
        }
    }

    #[test]
    fn what_was_never_checked_has_no_curve() {
        assert!(matches!(reconciled(curve(1.0), &[], &[]), Reconciled::Contradicted(_)));
    }
}
