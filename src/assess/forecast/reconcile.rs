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

/// `here` is what the model says of so many `cores`; `measured` has the seconds of single runs with their cores.
pub fn reconciled(curve: Curve, here: f64, cores: usize, measured: &[(usize, f64)]) -> Reconciled {
    let on_these: Vec<f64> = measured.iter().filter(|(on, _)| *on == cores).map(|(_, seconds)| *seconds).collect();
    let mean = on_these.iter().sum::<f64>() / on_these.len().max(1) as f64;
    let is_off = !on_these.is_empty() && mean > 0.0 && (here / mean - 1.0).abs() > MOST_OFF;
    let of = if curve.machines { "sequential" } else { &curve.way };
    if is_off {
        return Reconciled::Contradicted(format!(
            "the model says {here:.1} s for {of} on {cores} cores, but {mean:.1} s were measured"
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

    #[test]
    fn a_bound_that_a_run_went_below_is_not_told() {
        let Reconciled::WithoutBound(left, why) = reconciled(curve(17.0), 12.0, 2, &[(2, 12.6), (2, 11.3)]) else {
            panic!("a run took 11.3 s")
        };
        assert_eq!(left.bound_seconds, None);
        assert!(why.contains("17.0 s") && why.contains("11.3 s"), "{why}");
        assert!(matches!(reconciled(curve(11.0), 12.0, 2, &[(2, 11.3)]), Reconciled::Consistent(_)));
        assert!(matches!(reconciled(curve(11.0), 12.0, 2, &[]), Reconciled::Consistent(_)));
    }

    #[test]
    fn a_model_that_is_far_off_here_says_nothing_about_elsewhere() {
        let Reconciled::Contradicted(why) = reconciled(curve(1.0), 22.0, 2, &[(2, 11.3), (1, 22.0)]) else {
            panic!("twice as long")
        };
        assert!(why.contains("22.0 s") && why.contains("11.3 s"), "{why}");
    }
}
