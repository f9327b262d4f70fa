//! The forecast beside what was measured: what a measurement contradicts is not told, and the contradiction is.

use super::Curve;

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

/// What a model says of this machine's cores, and what was measured there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Here {
    pub cores: usize,
    /// What the model says.
    pub modelled: f64,
    /// The mean that the answer tells everywhere else, too.
    pub measured: Option<f64>,
}

/// `measured` has the seconds of single runs with their cores.
pub fn reconciled(curve: Curve, here: Here, measured: &[(usize, f64)]) -> Reconciled {
    let Here { cores, modelled, measured: mean } = here;
    let of = if curve.machines { "sequential" } else { &curve.way };
    let is_off = |mean: &f64| *mean > 0.0 && (modelled / mean - 1.0).abs() > MOST_OFF;
    if let Some(mean) = mean.filter(is_off) {
        return Reconciled::Contradicted(format!(
            "the model says {modelled:.1} s for {of} on {cores} cores, but {mean:.1} s were measured"
        ));
    }
    let fastest = measured.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    match (curve.bound_seconds, fastest) {
        (Some(bound), Some((on, seconds))) if seconds < bound => {
            let why =
                format!("the model's {bound:.1} s is above the {seconds:.1} s that a run of {of} took on {on} cores");
            Reconciled::WithoutBound(Curve { bound_seconds: None, ..curve }, why)
        }
        _ => Reconciled::Consistent(curve),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Point;
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

    fn here(modelled: f64, measured: Option<f64>) -> Here {
        Here { cores: 2, modelled, measured }
    }

    #[test]
    fn a_bound_that_a_run_went_below_is_not_told() {
        let Reconciled::WithoutBound(left, why) =
            reconciled(curve(17.0), here(12.0, Some(12.0)), &[(2, 12.6), (2, 11.3)])
        else {
            panic!("a run took 11.3 s")
        };
        assert_eq!(left.bound_seconds, None);
        assert!(why.contains("17.0 s") && why.contains("11.3 s"), "{why}");
        assert!(matches!(reconciled(curve(11.0), here(12.0, Some(11.3)), &[(2, 11.3)]), Reconciled::Consistent(_)));
        assert!(matches!(reconciled(curve(11.0), here(12.0, None), &[]), Reconciled::Consistent(_)));
    }

    #[test]
    fn a_model_that_is_far_off_here_says_nothing_about_elsewhere() {
        let Reconciled::Contradicted(why) = reconciled(curve(1.0), here(22.0, Some(11.3)), &[(2, 11.3), (1, 22.0)])
        else {
            panic!("twice as long")
        };
        assert!(why.contains("22.0 s") && why.contains("11.3 s"), "{why}");
    }
}
