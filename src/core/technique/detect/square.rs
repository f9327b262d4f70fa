//! Orders in which every two things follow each other, in either direction: rows of a square, after E. J. Williams.
//!
//! An even number `n` of things has `n` such rows: each is the zigzag 0, 1, n-1, 2, n-2, … moved on by one. An odd number
//! borrows one thing more and leaves it out again, which brings only more pairs together: `n + 1` rows.

/// How many rows bring every ordered pair of `n` things together.
pub fn rows(n: usize) -> usize {
    if n > 1 && n % 2 == 1 { n + 1 } else { n }
}

/// The row of this number, of all numbers below `n`.
pub fn row(n: usize, number: usize) -> Vec<usize> {
    let even = rows(n);
    (0..even).map(|place| (zigzag(place, even) + number) % even).filter(|thing| *thing < n).collect()
}

fn zigzag(place: usize, even: usize) -> usize {
    match place {
        0 => 0,
        odd if odd % 2 == 1 => odd / 2 + 1,
        _ => even - place / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_ordered_pair_is_together_once_or_more() {
        for n in 1..=40 {
            let mut pairs = HashSet::new();
            for number in 0..rows(n) {
                let row = row(n, number);
                let mut sorted = row.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..n).collect::<Vec<_>>(), "row {number} of {n} is no permutation");
                pairs.extend(row.windows(2).map(|pair| (pair[0], pair[1])));
            }
            assert_eq!(pairs.len(), n * (n - 1), "{n}");
        }
    }

    #[test]
    fn the_rows_are_few() {
        assert_eq!([1, 2, 3, 6, 7].map(rows), [1, 2, 4, 6, 8]);
        assert_eq!(row(4, 0), [0, 1, 3, 2]);
    }
}
