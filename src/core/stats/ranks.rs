//! Ranks, doubled so that the mean rank of ties is a whole number: sums of them can be counted exactly.

/// Values in ascending order, each with twice its rank; equal values share the mean of their ranks.
pub(super) struct Ranked {
    /// Twice the rank of each value, in the order of the input.
    pub doubled: Vec<u64>,
    /// The size of every group of equal values, groups in ascending order of their value.
    pub groups: Vec<u64>,
}

impl Ranked {
    /// Of values without NaN.
    pub fn of(values: &[f64]) -> Ranked {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        let value = |index: &u32| values[*index as usize];
        // `total_cmp` would part −0 from 0.
        order.sort_unstable_by(|a, b| value(a).partial_cmp(&value(b)).unwrap_or(std::cmp::Ordering::Equal));
        let mut ranked = Ranked { doubled: vec![0; values.len()], groups: Vec::with_capacity(values.len()) };
        let mut below = 0;
        for ties in order.chunk_by(|a, b| value(a) == value(b)) {
            let count = ties.len() as u64;
            for index in ties {
                ranked.doubled[*index as usize] = 2 * below + count + 1;
            }
            ranked.groups.push(count);
            below += count;
        }
        ranked
    }

    pub fn has_ties(&self) -> bool {
        self.groups.len() < self.doubled.len()
    }

    /// `Σ(t³ − t)` over groups of `t` equal values.
    pub fn tie_term(&self) -> f64 {
        tie_term(&self.groups)
    }
}

pub(super) fn tie_term(groups: &[u64]) -> f64 {
    groups.iter().map(|t| (*t as f64).powi(3) - *t as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_mean_rank() {
        let ranked = Ranked::of(&[3.0, 1.0, 3.0, -0.0, 0.0, 9.0]);
        assert_eq!(ranked.doubled, [9, 6, 9, 3, 3, 12]);
        assert_eq!(ranked.groups, [2, 1, 2, 1]);
        assert!(ranked.has_ties());
        assert_eq!(ranked.tie_term(), 12.0);
    }
}
