//! Delta debugging: the fewest tests of a sequence that still bring something about.

/// A smallest part, in the same order, of which no single test can be left out. `holds` has to hold for all of it, and is
/// asked for the empty part first: what needs nothing is told at once.
pub fn minimal<E>(all: &[usize], mut holds: impl FnMut(&[usize]) -> Result<bool, E>) -> Result<Vec<usize>, E> {
    if all.is_empty() || holds(&[])? {
        return Ok(Vec::new());
    }
    let mut current = all.to_vec();
    let mut parts = 2;
    while current.len() > 1 {
        match smaller(&current, parts, &mut holds)? {
            Some((next, next_parts)) => (current, parts) = (next, next_parts),
            None if parts >= current.len() => break,
            None => parts = (parts * 2).min(current.len()),
        }
    }
    Ok(current)
}

/// One of the parts, or all but one of them. The last part is tried first: what ran last is what most often did it.
fn smaller<E>(
    current: &[usize],
    parts: usize,
    holds: &mut impl FnMut(&[usize]) -> Result<bool, E>,
) -> Result<Option<(Vec<usize>, usize)>, E> {
    let size = current.len().div_ceil(parts);
    let chunks: Vec<&[usize]> = current.chunks(size).collect();
    for chunk in chunks.iter().rev() {
        if holds(chunk)? {
            return Ok(Some((chunk.to_vec(), 2)));
        }
    }
    // With two parts, all but one is the other.
    for left_out in (0..chunks.len()).filter(|_| chunks.len() > 2) {
        let rest: Vec<usize> = chunks
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != left_out)
            .flat_map(|(_, chunk)| chunk.to_vec())
            .collect();
        if holds(&rest)? {
            return Ok(Some((rest, (parts - 1).max(2))));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn found(n: usize, cause: &[usize]) -> (Vec<usize>, usize) {
        let all: Vec<usize> = (0..n).collect();
        let mut asked = 0;
        let minimal = minimal(&all, |part| {
            asked += 1;
            Ok::<_, Infallible>(cause.iter().all(|test| part.contains(test)))
        });
        (minimal.unwrap_or_default(), asked)
    }

    #[test]
    fn one_of_thousands_is_found_in_a_few_questions() {
        let (minimal, asked) = found(5_000, &[1_234]);
        assert_eq!(minimal, [1_234]);
        assert!(asked < 40, "{asked}");
    }

    #[test]
    fn what_needs_nothing_is_told_at_once() {
        assert_eq!(found(100, &[]), (vec![], 1));
    }

    proptest! {
        #[test]
        fn exactly_the_cause_is_left(n in 1usize..80, cause in prop::collection::btree_set(0usize..80, 1..4)) {
            let cause: Vec<usize> = cause.into_iter().filter(|test| *test < n).collect();
            prop_assert_eq!(found(n, &cause).0, cause);
        }
    }
}
