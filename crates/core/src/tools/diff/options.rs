//! Options of a comparison: which differences count, and how they are shown.

use crate::tools::adapt::Projection;

use super::keyed::ListKey;
use super::tolerance::Tolerance;
use super::values::How;

/// How two streams, or two values, are compared.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Values left out of the comparison, on both sides.
    pub ignore: Option<Projection>,
    /// Most differences that are reported; the others are only counted.
    pub limit: u64,
    /// Characters of a value that a difference shows before it is cut.
    pub shown: usize,
    /// True if messages, and the elements of lists, are aligned: one that was added or removed is
    /// one difference. Else the first is compared with the first, and so on.
    pub align: bool,
    /// Fields by which messages, and elements of lists, are matched wherever they stand.
    pub keys: Vec<ListKey>,
    /// Numbers and moments that are taken for equal although they differ.
    pub tolerance: Tolerance,
    /// True if each message that differs is listed, in place of its differences.
    pub listing: bool,
}

impl Options {
    /// Returns how values are matched and compared.
    pub(super) fn how(&self) -> How {
        How { align: self.align, keys: self.keys.clone(), tolerance: self.tolerance }
    }
}
