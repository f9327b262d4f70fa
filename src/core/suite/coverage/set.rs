//! Sets of numbered elements, as bits: a test covers neighbouring lines, most of them far from those that others cover.

/// The words that are not zero, by ascending number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ElementSet {
    words: Box<[(u32, u64)]>,
}

/// All that some tests cover together, which grows.
#[derive(Debug, Clone, Default)]
pub struct Union {
    words: Vec<u64>,
}

impl FromIterator<u32> for ElementSet {
    fn from_iter<I: IntoIterator<Item = u32>>(elements: I) -> Self {
        let mut sorted: Vec<u32> = elements.into_iter().collect();
        sorted.sort_unstable();
        let mut words: Vec<(u32, u64)> = Vec::new();
        for element in sorted {
            let (word, bit) = (element / 64, 1 << (element % 64));
            match words.last_mut() {
                Some((last, bits)) if *last == word => *bits |= bit,
                _ => words.push((word, bit)),
            }
        }
        ElementSet { words: words.into() }
    }
}

impl ElementSet {
    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let bits = |&(word, bits): &(u32, u64)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        };
        self.words.iter().flat_map(bits)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Is any element in both?
    pub fn meets(&self, other: &ElementSet) -> bool {
        let (mut these, mut those) = (self.words.iter().peekable(), other.words.iter().peekable());
        while let (Some((this, mine)), Some((that, theirs))) = (these.peek(), those.peek()) {
            match this.cmp(that) {
                std::cmp::Ordering::Equal if mine & theirs != 0 => return true,
                std::cmp::Ordering::Greater => those.next(),
                _ => these.next(),
            };
        }
        false
    }

    /// How many elements are not in the union yet.
    pub fn adds_to(&self, union: &Union) -> usize {
        self.words.iter().map(|(word, bits)| (bits & !union.word(*word)).count_ones() as usize).sum()
    }

    /// What it takes in memory, in words.
    pub(super) fn size(&self) -> usize {
        self.words.len()
    }
}

impl Union {
    fn word(&self, number: u32) -> u64 {
        self.words.get(number as usize).copied().unwrap_or(0)
    }

    pub fn add(&mut self, set: &ElementSet) {
        let Some((last, _)) = set.words.last() else { return };
        let length = self.words.len().max(*last as usize + 1);
        self.words.resize(length, 0);
        set.words.iter().for_each(|(word, bits)| self.words[*word as usize] |= bits);
    }

    pub fn clear(&mut self) {
        self.words.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn sets_of_bits_are_sets(
            one in proptest::collection::btree_set(0u32..300, 0..40),
            other in proptest::collection::btree_set(0u32..300, 0..40),
        ) {
            let bits = |set: &BTreeSet<u32>| set.iter().copied().collect::<ElementSet>();
            let mut union = Union::default();
            union.add(&bits(&one));
            prop_assert_eq!(bits(&one).len(), one.len());
            prop_assert!(bits(&one).iter().eq(one.iter().copied()));
            prop_assert_eq!(bits(&one).is_empty(), one.is_empty());
            prop_assert_eq!(bits(&one).meets(&bits(&other)), !one.is_disjoint(&other));
            prop_assert_eq!(bits(&other).adds_to(&union), other.difference(&one).count());
            union.add(&bits(&other));
            prop_assert_eq!(bits(&one).adds_to(&union) + bits(&other).adds_to(&union), 0);
            union.clear();
            prop_assert_eq!(bits(&other).adds_to(&union), other.len());
        }
    }
}
