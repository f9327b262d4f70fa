//! Test selection: the tests that a change can concern. S1 to S6 are this function on statements and on methods; what comes
//! after it is no reordering, or prioritization.

use crate::suite::ElementSet;

/// Tests that cover something new, deleted or modified, by position in the original order and in that order.
pub fn affected(covered: &[&ElementSet], changed: &ElementSet) -> Vec<usize> {
    (0..covered.len()).filter(|test| covered[*test].meets(changed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_selected_if_it_covers_anything_that_changed() {
        let set = |elements: &[u32]| elements.iter().copied().collect::<ElementSet>();
        let covered = [set(&[1, 2]), set(&[3]), set(&[]), set(&[2, 90]), set(&[90])];
        let covered: Vec<&ElementSet> = covered.iter().collect();
        assert_eq!(affected(&covered, &set(&[2, 3])), [0, 1, 3]);
        assert_eq!(affected(&covered, &set(&[90])), [3, 4]);
        assert_eq!(affected(&covered, &set(&[])), [0; 0]);
    }
}
