//! Maxima of what a decoder accepts.

/// The limits of USDS: there are none but the bytes, which counts are checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoLimits;
