//! Numbers that were printed with few digits: the value that stands there, and the smallest and largest that it can have
//! been before it was rounded. Arithmetic keeps all three, by corners, so that a result's range is never too narrow; where
//! one number occurs twice in a formula it can be too wide.

/// `low <= value <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

impl Range {
    pub fn exact(value: f64) -> Self {
        Range { low: value, value, high: value }
    }

    /// A number that was rounded by up to `slack`.
    pub fn around(value: f64, slack: f64) -> Self {
        Range { low: value - slack, value, high: value + slack }
    }

    /// The value with the extremes of everything that it can be; something that is no number leaves it unbounded.
    pub fn spanning(value: f64, corners: impl IntoIterator<Item = f64>) -> Self {
        corners.into_iter().fold(Range::exact(value), |range, corner| {
            if corner.is_nan() {
                Range { low: f64::NEG_INFINITY, value, high: f64::INFINITY }
            } else {
                Range { low: range.low.min(corner), value, high: range.high.max(corner) }
            }
        })
    }

    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    pub fn contains(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    /// By a function that only rises, or only falls.
    pub fn through(self, f: impl Fn(f64) -> f64) -> Self {
        Range::spanning(f(self.value), [f(self.low), f(self.high)])
    }

    pub fn negated(self) -> Self {
        self.through(|x| -x)
    }

    pub fn abs(self) -> Self {
        let zero = self.contains(0.0).then_some(0.0);
        Range::spanning(self.value.abs(), [self.low.abs(), self.high.abs()].into_iter().chain(zero))
    }

    pub fn plus(self, other: Range) -> Self {
        self.with(other, |a, b| a + b)
    }

    pub fn minus(self, other: Range) -> Self {
        self.with(other, |a, b| a - b)
    }

    pub fn times(self, other: Range) -> Self {
        self.with(other, |a, b| a * b)
    }

    /// `None` for a division by zero; unbounded where the divisor can have been zero.
    pub fn over(self, other: Range) -> Option<Self> {
        if other.value == 0.0 {
            return None;
        }
        let value = self.value / other.value;
        if !other.is_exact() && other.contains(0.0) {
            return Some(Range { low: f64::NEG_INFINITY, value, high: f64::INFINITY });
        }
        Some(self.with(other, |a, b| a / b))
    }

    /// `None` where the power is no real number.
    pub fn power(self, exponent: Range) -> Option<Self> {
        let value = self.value.powf(exponent.value);
        if value.is_nan() {
            return None;
        }
        let zero = self.contains(0.0).then(|| 0f64.powf(exponent.value));
        Some(Range::spanning(value, self.corners(exponent, f64::powf).into_iter().chain(zero)))
    }

    fn with(self, other: Range, f: impl Fn(f64, f64) -> f64) -> Self {
        Range::spanning(f(self.value, other.value), self.corners(other, f))
    }

    fn corners(self, other: Range, f: impl Fn(f64, f64) -> f64) -> [f64; 4] {
        [f(self.low, other.low), f(self.low, other.high), f(self.high, other.low), f(self.high, other.high)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range() -> impl Strategy<Value = Range> {
        (-1e3f64..1e3, 0f64..10.0).prop_map(|(value, slack)| Range::around(value, slack))
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        assert_eq!(Range::exact(1.0).over(Range::exact(0.0)), None);
        let wide = Range::exact(1.0).over(Range::around(0.1, 0.5)).unwrap();
        assert_eq!((wide.low, wide.value, wide.high), (f64::NEG_INFINITY, 10.0, f64::INFINITY));
        assert_eq!(Range::exact(-8.0).power(Range::exact(0.5)), None);
        assert_eq!(Range::around(0.0, 2.0).power(Range::exact(2.0)).map(|r| (r.low, r.high)), Some((0.0, 4.0)));
    }

    proptest! {
        #[test]
        fn a_result_lies_in_its_range(a in range(), b in range(), s in 0f64..=1.0, t in 0f64..=1.0) {
            let (x, y) = (a.low + s * (a.high - a.low), b.low + t * (b.high - b.low));
            for (range, result) in [(a.plus(b), x + y), (a.minus(b), x - y), (a.times(b), x * y), (a.abs(), x.abs())] {
                let room = 1e-9 * (1.0 + result.abs());
                prop_assert!(range.low - room <= result && result <= range.high + room, "{range:?} {result}");
                prop_assert!(range.low <= range.value && range.value <= range.high);
            }
            if let Some(range) = a.over(b) && y != 0.0 {
                let room = 1e-9 * (1.0 + (x / y).abs());
                prop_assert!(range.low - room <= x / y && x / y <= range.high + room);
            }
        }
    }
}
