//! Constraints that PER sees: ranges of numbers and sizes, and permitted alphabets (X.691 10.3).

use crate::syntax::StringKind;

/// Range of whole numbers, both ends included. `None` is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// Least number.
    pub low: Option<i128>,
    /// Greatest number.
    pub high: Option<i128>,
}

impl Range {
    /// Range of all whole numbers.
    pub const ALL: Range = Range { low: None, high: None };

    /// Range of all sizes.
    pub const SIZES: Range = Range { low: Some(0), high: None };

    /// Returns whether a number is in the range.
    pub fn contains(self, number: i128) -> bool {
        self.low.is_none_or(|low| low <= number) && self.high.is_none_or(|high| number <= high)
    }

    /// Returns the numbers that are in both ranges, or `None` if there are none.
    pub fn and(self, other: Range) -> Option<Range> {
        let low = match (self.low, other.low) {
            (Some(one), Some(two)) => Some(one.max(two)),
            (one, two) => one.or(two),
        };
        let high = match (self.high, other.high) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let some = !matches!((low, high), (Some(low), Some(high)) if low > high);
        some.then_some(Range { low, high })
    }
}

/// Effective bounds of a value or size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Root values.
    pub range: Range,
    /// True if values outside of the root are allowed by an extension marker.
    pub extensible: bool,
}

/// Bounds of the parts of a REAL (X.680 21.5), by an inner subtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RealBounds {
    /// Mantissas.
    pub mantissa: Range,
    /// Bases, which are 2 and 10.
    pub base: Range,
    /// Exponents.
    pub exponent: Range,
}

impl RealBounds {
    /// Returns the number of bits of the IEEE 754 format that OER writes, 32 or 64, if the bounds
    /// are within one (X.696 12.2).
    pub fn float(&self) -> Option<u32> {
        let within = |range: Range, low: i128, high: i128| {
            range.low.is_some_and(|least| low <= least) && range.high.is_some_and(|most| most <= high)
        };
        if !within(self.base, 2, 2) {
            return None;
        }
        let fits = |bits: u32, low: i128, high: i128| {
            let most = (1 << bits) - 1;
            within(self.mantissa, -most, most) && within(self.exponent, low, high)
        };
        if fits(24, -149, 104) {
            return Some(32);
        }
        fits(53, -1074, 971).then_some(64)
    }
}

/// Permitted characters: ranges in ascending order that do not touch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Alphabet {
    ranges: Vec<(u32, u32)>,
}

impl Alphabet {
    /// Returns the alphabet of ranges in any order.
    pub fn new(mut ranges: Vec<(u32, u32)>) -> Alphabet {
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match joined.last_mut() {
                Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
                _ => joined.push((low, high)),
            }
        }
        Alphabet { ranges: joined }
    }

    /// Returns the characters of a string type whose characters have a fixed size: those that
    /// X.691 30.1 calls known-multiplier. `None` for other types.
    pub fn of(kind: StringKind) -> Option<Alphabet> {
        let ranges = match kind {
            StringKind::Numeric => vec![(0x20, 0x20), (0x30, 0x39)],
            StringKind::Printable => {
                vec![
                    (0x20, 0x20),
                    (0x27, 0x29),
                    (0x2b, 0x2f),
                    (0x30, 0x39),
                    (0x3a, 0x3a),
                    (0x3d, 0x3d),
                    (0x3f, 0x3f),
                    (0x41, 0x5a),
                    (0x61, 0x7a),
                ]
            }
            StringKind::Visible => vec![(0x20, 0x7e)],
            StringKind::Ia5 => vec![(0, 0x7f)],
            StringKind::Bmp => vec![(0, 0xffff)],
            StringKind::Universal => vec![(0, u32::MAX)],
            _ => return None,
        };
        Some(Alphabet::new(ranges))
    }

    /// Returns the ranges.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Returns the number of characters.
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|(low, high)| u64::from(high - low) + 1).sum()
    }

    /// Returns whether no character is permitted.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns whether a character is permitted.
    pub fn contains(&self, code: u32) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&code))
    }

    /// Returns the characters of both.
    #[must_use]
    pub fn or(&self, other: &Alphabet) -> Alphabet {
        Alphabet::new(self.ranges.iter().chain(&other.ranges).copied().collect())
    }

    /// Returns the characters that both have.
    #[must_use]
    pub fn and(&self, other: &Alphabet) -> Alphabet {
        let mut common = Vec::new();
        let (mut one, mut two) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some((low, high)), Some((other_low, other_high))) = (one.peek(), two.peek()) {
            let (start, end) = (*low.max(other_low), *high.min(other_high));
            if start <= end {
                common.push((start, end));
            }
            if high < other_high {
                one.next()
            } else {
                two.next()
            };
        }
        Alphabet { ranges: common }
    }
}

/// Constraints of a type that PER sees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Constraints {
    /// Bounds of an integer.
    pub value: Option<Bounds>,
    /// Bounds of the size of a string or list.
    pub size: Option<Bounds>,
    /// Permitted characters of a known-multiplier string, if they are fewer than all of the type.
    /// Always those of the root.
    pub alphabet: Option<Alphabet>,
    /// Bounds of the parts of a REAL, which OER sees.
    pub real: Option<RealBounds>,
    /// True if the constraint on a string or list has an extension marker.
    pub extensible: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alphabets_join_and_meet() {
        let one = Alphabet::new(vec![(5, 9), (1, 2), (3, 4), (20, 30)]);
        assert_eq!(one.ranges(), [(1, 9), (20, 30)]);
        assert_eq!(one.len(), 20);
        let two = Alphabet::new(vec![(8, 21), (30, 40)]);
        assert_eq!(one.and(&two).ranges(), [(8, 9), (20, 21), (30, 30)]);
        assert_eq!(one.or(&two).ranges(), [(1, 40)]);
        assert_eq!(Alphabet::of(StringKind::Printable).unwrap().len(), 74);
        assert_eq!(Alphabet::of(StringKind::Universal).unwrap().len(), 1 << 32);
        assert!(Alphabet::of(StringKind::Utf8).is_none());
    }

    #[test]
    fn ranges_meet() {
        let range = |low, high| Range { low, high };
        assert_eq!(range(Some(1), None).and(range(None, Some(5))), Some(range(Some(1), Some(5))));
        assert_eq!(range(Some(6), None).and(range(None, Some(5))), None);
    }
}
