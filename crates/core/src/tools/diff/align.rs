//! Alignment of two sequences by the hashes of their elements.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

/// Parts of two sequences that stand at the same place and are not equal; one of them may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) left: Range<usize>,
    pub(super) right: Range<usize>,
}

/// Returns the parts that differ, in order: a short script of edits by Myers' algorithm in linear
/// space. Its work is bounded as Git's is, so that the script may be longer where little is equal.
/// Sequences of more than 2^31 elements are one hunk.
pub(super) fn align(left: impl ExactSizeIterator<Item = u64>, right: impl ExactSizeIterator<Item = u64>) -> Vec<Hunk> {
    let most = i32::MAX as usize / 2;
    if left.len() > most || right.len() > most {
        return vec![Hunk { left: 0..left.len(), right: 0..right.len() }];
    }
    let mut interner = Interner::new(left.len() + right.len());
    let before = left.map(|hash| interner.intern(hash)).collect();
    let after = right.map(|hash| interner.intern(hash)).collect();
    let input = InternedInput { before, after, interner };
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    // Among equal elements in a row, the last is the one that was added or removed.
    diff.postprocess_no_heuristic(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| Hunk { left: range(hunk.before), right: range(hunk.after) }).collect()
}

/// Pairs the elements of a hunk that stand for each other, in order: those with equal sketches, and
/// between them as they stand. The others have no counterpart.
pub(super) fn pair(
    hunk: &Hunk,
    left_sketch: impl Fn(usize) -> u64,
    right_sketch: impl Fn(usize) -> u64,
    mut each: impl FnMut(Option<usize>, Option<usize>),
) {
    let as_they_stand = |left: Range<usize>, right: Range<usize>, each: &mut dyn FnMut(Option<usize>, Option<usize>)| {
        for n in 0..left.len().max(right.len()) {
            let at = |range: &Range<usize>| (n < range.len()).then_some(range.start + n);
            each(at(&left), at(&right));
        }
    };
    if hunk.left.is_empty() || hunk.right.is_empty() {
        return as_they_stand(hunk.left.clone(), hunk.right.clone(), &mut each);
    }
    let (from_left, from_right) = (hunk.left.start, hunk.right.start);
    let (mut left, mut right) = (from_left, from_right);
    let unequal = align(hunk.left.clone().map(left_sketch), hunk.right.clone().map(right_sketch));
    let end = Hunk { left: hunk.left.len()..hunk.left.len(), right: hunk.right.len()..hunk.right.len() };
    for part in unequal.into_iter().chain([end]) {
        while left < from_left + part.left.start {
            each(Some(left), Some(right));
            (left, right) = (left + 1, right + 1);
        }
        (left, right) = (from_left + part.left.end, from_right + part.right.end);
        as_they_stand(from_left + part.left.start..left, from_right + part.right.start..right, &mut each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(left: &[u64], right: &[u64], sketch: impl Fn(u64) -> u64) -> Vec<(Option<u64>, Option<u64>)> {
        let mut pairs = Vec::new();
        for hunk in align(left.iter().copied(), right.iter().copied()) {
            pair(
                &hunk,
                |at| sketch(left[at]),
                |at| sketch(right[at]),
                |one, other| {
                    pairs.push((one.map(|at| left[at]), other.map(|at| right[at])));
                },
            );
        }
        pairs
    }

    #[test]
    fn one_insertion_is_one_hunk() {
        let (left, right): (Vec<u64>, Vec<u64>) = ((0..1000).collect(), (0..500).chain([7777]).chain(500..1000).collect());
        assert_eq!(align(left.iter().copied(), right.iter().copied()), [Hunk { left: 500..500, right: 500..501 }]);
        assert_eq!(align(left.iter().copied(), left.iter().copied()), []);
        assert_eq!(pairs(&left, &[], |hash| hash).len(), 1000);
    }

    #[test]
    fn elements_of_a_hunk_are_paired_by_sketch_and_else_as_they_stand() {
        // The last digit is what changed.
        let by_tens = |hash: u64| hash / 10;
        assert_eq!(
            pairs(&[10, 20, 30], &[11, 90, 21, 31], by_tens),
            [(Some(10), Some(11)), (None, Some(90)), (Some(20), Some(21)), (Some(30), Some(31))]
        );
        assert_eq!(pairs(&[10, 20], &[81, 91, 95], by_tens), [(Some(10), Some(81)), (Some(20), Some(91)), (None, Some(95))]);
    }

    #[test]
    fn sequences_with_nothing_in_common_take_bounded_time() {
        let left: Vec<u64> = (0..200_000).map(|n| n % 1000).collect();
        let right: Vec<u64> = (0..200_000).map(|n| n * 7919 % 1000).collect();
        let hunks = align(left.iter().copied(), right.iter().copied());
        assert!(!hunks.is_empty());
    }
}
