//! Positions in a list: one, or several in a row, counted from either end.

use std::fmt;

/// Positions from `from` up to, not including, `to`. Numbers below zero count from the end of the
/// list: -1 is its last element. `None` is the list's own end on that side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Slice {
    /// First position.
    pub from: Option<i64>,
    /// Position after the last.
    pub to: Option<i64>,
}

impl Slice {
    /// All positions.
    pub const ALL: Slice = Slice { from: None, to: None };

    /// Returns the one position `at`.
    pub const fn one(at: i64) -> Slice {
        Slice { from: Some(at), to: if at == -1 { None } else { Some(at.saturating_add(1)) } }
    }

    /// Returns whether the position `at` of a list of `len` elements is among these.
    pub fn holds(self, at: u64, len: u64) -> bool {
        let resolved = |bound: i64| if bound < 0 { i128::from(len) + i128::from(bound) } else { i128::from(bound) };
        let at = i128::from(at);
        self.from.is_none_or(|from| at >= resolved(from)) && self.to.is_none_or(|to| at < resolved(to))
    }
}

/// Writes the slice as a path has it: `[-1]`, `[2:5]`, `[:3]`.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from
            && *self == Slice::one(from)
        {
            return write!(f, "[{from}]");
        }
        let bound = |bound: Option<i64>| bound.map_or_else(String::new, |bound| bound.to_string());
        write!(f, "[{}:{}]", bound(self.from), bound(self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(slice: Slice, len: u64) -> Vec<u64> {
        (0..len).filter(|at| slice.holds(*at, len)).collect()
    }

    #[test]
    fn positions_count_from_both_ends() {
        let slice = |from: i64, to: i64| Slice { from: Some(from), to: Some(to) };
        assert_eq!(held(Slice::one(0), 3), [0]);
        assert_eq!(held(Slice::one(2), 3), [2]);
        assert_eq!(held(Slice::one(3), 3), []);
        assert_eq!(held(Slice::one(-1), 3), [2]);
        assert_eq!(held(Slice::one(-3), 3), [0]);
        assert_eq!(held(Slice::one(-4), 3), []);
        assert_eq!(held(slice(1, 3), 5), [1, 2]);
        assert_eq!(held(slice(-3, -1), 5), [2, 3]);
        assert_eq!(held(slice(3, 1), 5), []);
        assert_eq!(held(Slice { from: Some(-2), to: None }, 5), [3, 4]);
        assert_eq!(held(Slice { from: None, to: Some(-4) }, 5), [0]);
        assert_eq!(held(Slice::ALL, 2), [0, 1]);
        assert_eq!(held(slice(i64::MIN, i64::MAX), 2), [0, 1]);
        assert_eq!(held(Slice::one(i64::MAX), 2), []);
    }

    #[test]
    fn slices_print_as_they_are_typed() {
        let shown = |from, to| Slice { from, to }.to_string();
        assert_eq!([Slice::one(3), Slice::one(-1), Slice::one(-2)].map(|slice| slice.to_string()), ["[3]", "[-1]", "[-2]"]);
        assert_eq!([shown(Some(2), Some(5)), shown(None, Some(3)), shown(Some(1), None)], ["[2:5]", "[:3]", "[1:]"]);
        assert_eq!(Slice::ALL.to_string(), "[:]");
    }
}
