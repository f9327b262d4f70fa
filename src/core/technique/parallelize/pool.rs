//! Threads that take the next piece of work as soon as they are free, in the order in which it lies: how build tools run
//! classes or tests at the same time inside one machine. Nobody plans, and nobody looks at dependencies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When each piece starts, and when the last one ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pool {
    pub starts: Vec<u64>,
    pub end: u64,
}

/// Pieces taken in order by so many threads; without a thread nothing starts.
pub fn in_order(pieces: &[u64], threads: usize) -> Pool {
    let mut pool = Pool { starts: Vec::with_capacity(pieces.len()), end: 0 };
    let mut free: BinaryHeap<Reverse<u64>> = (0..threads.min(pieces.len())).map(|_| Reverse(0)).collect();
    for piece in pieces {
        let Some(mut earliest) = free.peek_mut() else { break };
        pool.starts.push(earliest.0);
        earliest.0 = earliest.0.saturating_add(*piece);
        pool.end = pool.end.max(earliest.0);
    }
    pool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_free_takes_the_next() {
        assert_eq!(in_order(&[3, 1, 1, 4], 2), Pool { starts: vec![0, 0, 1, 2], end: 6 });
        assert_eq!(in_order(&[3, 1], 1).end, 4);
        assert_eq!(in_order(&[3, 1], 5), Pool { starts: vec![0, 0], end: 3 });
        assert_eq!((in_order(&[], 3), in_order(&[1], 0)), (Pool::default(), Pool::default()));
    }
}
