//! Delta debugging: the fewest tests of a sequence that still bring something about.

/// A smallest part, in the same order, of which no single test can be left out. `hold` has to hold for all of it; it is asked
/// about so many parts at once as `width` says, and for the empty part first: what needs nothing is told at once.
pub fn minimal<E>(
    all: &[usize],
    width: usize,
    mut hold: impl FnMut(&[Vec<usize>]) -> Result<Vec<bool>, E>,
) -> Result<Vec<usize>, E> {
    if all.is_empty() || hold(&[Vec::new()])? == [true] {
        return Ok(Vec::new());
    }
    let fewest = width.max(2);
    let mut current = all.to_vec();
    let mut parts = fewest.min(current.len());
    while current.len() > 1 {
        match smaller(&current, parts, width, &mut hold)? {
            Some(Smaller::Part(part)) => (current, parts) = (part, fewest),
            Some(Smaller::Rest(rest)) => (current, parts) = (rest, (parts - 1).max(2)),
            None if parts >= current.len() => break,
            None => parts *= 2,
        }
        parts = parts.min(current.len());
    }
    Ok(current)
}

enum Smaller {
    Part(Vec<usize>),
    /// All but a part.
    Rest(Vec<usize>),
}

/// One of the parts, or all but one of them. The last part is tried first: what ran last is what most often did it.
fn smaller<E>(
    current: &[usize],
    parts: usize,
    width: usize,
    hold: &mut impl FnMut(&[Vec<usize>]) -> Result<Vec<bool>, E>,
) -> Result<Option<Smaller>, E> {
    let size = current.len().div_ceil(parts.max(1));
    let chunks: Vec<Vec<usize>> = current.chunks(size).map(<[usize]>::to_vec).collect();
    if let Some(part) = first_that_holds(chunks.iter().rev().cloned().collect(), width, hold)? {
        return Ok(Some(Smaller::Part(part)));
    }
    // With two parts, all but one is the other.
    if chunks.len() <= 2 {
        return Ok(None);
    }
    let without = |left_out: usize| {
        let kept = chunks.iter().enumerate().filter(|(place, _)| *place != left_out);
        kept.flat_map(|(_, chunk)| chunk.iter().copied()).collect()
    };
    let rests = (0..chunks.len()).map(without).collect();
    Ok(first_that_holds(rests, width, hold)?.map(Smaller::Rest))
}

fn first_that_holds<E>(
    mut candidates: Vec<Vec<usize>>,
    width: usize,
    hold: &mut impl FnMut(&[Vec<usize>]) -> Result<Vec<bool>, E>,
) -> Result<Option<Vec<usize>>, E> {
    let width = width.max(1);
    for begin in (0..candidates.len()).step_by(width) {
        let end = (begin + width).min(candidates.len());
        let held = hold(&candidates[begin..end])?;
        if let Some(place) = held.iter().position(|holds| *holds) {
            return Ok(Some(candidates.swap_remove(begin + place)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// What is left, and how often something was asked.
    fn found(n: usize, cause: &[usize], width: usize) -> (Vec<usize>, usize) {
        let all: Vec<usize> = (0..n).collect();
        let mut asked = 0;
        let minimal = minimal(&all, width, |parts| {
            asked += 1;
            assert!(parts.len() <= width, "{} at once", parts.len());
            let holds = |part: &Vec<usize>| cause.iter().all(|test| part.contains(test));
            Ok::<_, Infallible>(parts.iter().map(holds).collect())
        });
        (minimal.unwrap_or_default(), asked)
    }

    #[test]
    fn one_of_thousands_is_found_in_a_few_questions() {
        let (minimal, asked) = found(5_000, &[1_234], 1);
        assert_eq!(minimal, [1_234]);
        assert!(asked < 40, "{asked}");
        let (minimal, asked) = found(5_000, &[1_234], 8);
        assert_eq!(minimal, [1_234]);
        assert!(asked < 8, "{asked}");
    }

    #[test]
    fn what_needs_nothing_is_told_at_once() {
        assert_eq!(found(100, &[], 4), (vec![], 1));
    }

    proptest! {
        #[test]
        fn exactly_the_cause_is_left(
            n in 1usize..80, cause in prop::collection::btree_set(0usize..80, 1..4), width in 1usize..9,
        ) {
            let cause: Vec<usize> = cause.into_iter().filter(|test| *test < n).collect();
            prop_assert_eq!(found(n, &cause, width).0, cause);
        }
    }
}
