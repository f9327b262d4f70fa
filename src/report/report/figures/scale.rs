//! From values to pixels, and where the ticks go.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Linear,
    Logarithmic,
}

/// Values that span more than this factor are drawn on a logarithmic axis.
const WIDE: f64 = 30.0;

impl Kind {
    pub fn suited_to<'a>(values: impl Iterator<Item = &'a f64>) -> Kind {
        let (low, high) = values.fold((f64::INFINITY, 0f64), |(low, high), value| (low.min(*value), high.max(*value)));
        if low > 0.0 && high / low > WIDE { Kind::Logarithmic } else { Kind::Linear }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    /// The pixels of both ends.
    from: i32,
    to: i32,
}

impl Scale {
    /// Covers the values with a little room on both sides. Values that are no numbers are left out.
    pub fn over(values: &[f64], kind: Kind, from: i32, to: i32) -> Scale {
        let usable = values.iter().copied().filter(|x| x.is_finite() && (kind == Kind::Linear || *x > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (low, high) = if low > high { (0.5, 1.5) } else { (low, high) };
        let (low, high) = match kind {
            Kind::Linear => {
                let room = ((high - low) * 0.06).max(high.abs() * 0.02).max(1e-9);
                let floor = if low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
                ((low - room).max(floor), high + room)
            }
            Kind::Logarithmic => ((low / 1.25).max(f64::MIN_POSITIVE), (high * 1.25).min(f64::MAX)),
        };
        Scale { kind, low, high, from, to }
    }

    /// The pixels of both ends.
    pub fn ends(&self) -> (i32, i32) {
        (self.from, self.to)
    }

    pub fn at(&self, value: f64) -> i32 {
        let place = |x: f64| match self.kind {
            Kind::Linear => x,
            Kind::Logarithmic => x.max(f64::MIN_POSITIVE).ln(),
        };
        let part = (place(value) - place(self.low)) / (place(self.high) - place(self.low));
        self.from + (part.clamp(0.0, 1.0) * f64::from(self.to - self.from)).round() as i32
    }

    /// Round values within the scale, ascending, with their labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match self.kind {
            Kind::Linear => self.linear_ticks(),
            Kind::Logarithmic => self.logarithmic_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<(f64, String)> {
        let raw = (self.high - self.low) / 8.0;
        let magnitude = 10f64.powf(raw.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|factor| factor * magnitude).into_iter().find(|s| *s >= raw).unwrap_or(raw);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step).ceil() as i64;
        (first..first + 20)
            .map(|index| index as f64 * step)
            .take_while(|tick| *tick <= self.high)
            .map(|tick| (tick, format!("{tick:.decimals$}")))
            .collect()
    }

    fn logarithmic_ticks(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let factors: &[f64] = if last - first > 4 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        (first..=last)
            .step_by((last - first).unsigned_abs() as usize / 8 + 1)
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .filter(|tick| *tick >= self.low && *tick <= self.high)
            .map(|tick| (tick, if tick < 1.0 { format!("{tick:.2}") } else { format!("{tick:.0}") }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round() {
        let labels = |scale: Scale| scale.ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(
            labels(Scale::over(&[0.9, 2.3], Kind::Linear, 0, 100)),
            ["1.0", "1.2", "1.4", "1.6", "1.8", "2.0", "2.2"]
        );
        assert_eq!(labels(Scale::over(&[2.0, 80.0], Kind::Logarithmic, 0, 100)), ["2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn wide_ranges_call_for_logarithms() {
        assert_eq!(Kind::suited_to([1.0, 100.0].iter()), Kind::Logarithmic);
        assert_eq!(Kind::suited_to([10.0, 100.0].iter()), Kind::Linear);
        assert_eq!(Kind::suited_to([0.0, 100.0].iter()), Kind::Linear);
    }

    proptest! {
        #[test]
        fn any_value_lands_on_the_canvas(values in prop::collection::vec(any::<f64>(), 0..9)) {
            for kind in [Kind::Linear, Kind::Logarithmic] {
                let scale = Scale::over(&values, kind, 10, 90);
                prop_assert!(scale.ticks().len() < 40);
                for value in &values {
                    prop_assert!((10..=90).contains(&scale.at(*value)) || value.is_nan());
                }
            }
        }
    }
}
