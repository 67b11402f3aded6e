//! Limits on the cost of a message, which the caller sets, and the budget that a walk spends.

use crate::error::{Error, ErrorKind, Result};

/// Bounds on one message. All codecs share them.
///
/// ```
/// use polywire_core::Limits;
///
/// let limits = Limits::DEFAULT.with_depth(64).with_items(1_000_000);
/// assert_eq!(limits.digits, Limits::DEFAULT.digits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Depth of containers within containers. At most [`Limits::MAX_DEPTH`]; default 512.
    pub depth: u32,
    /// Number of values and fields. Default 2³².
    pub items: u64,
    /// Bytes that decoding makes beyond the message's own: unescaped text, expanded entities.
    /// Default 256 MiB.
    pub decoded: u64,
    /// Digits of one number. Default 4,096, since conversion between bases takes quadratic time.
    pub digits: u32,
}

impl Limits {
    /// Largest `depth`: a [`Value`](crate::Value) is compared and dropped by recursion.
    pub const MAX_DEPTH: u32 = 2048;

    /// The defaults.
    pub const DEFAULT: Limits = Limits { depth: 512, items: 1 << 32, decoded: 256 << 20, digits: 4096 };

    /// The widest limits: only [`Limits::MAX_DEPTH`] holds. For framing, which builds nothing.
    pub const MAX: Limits = Limits { depth: Limits::MAX_DEPTH, items: u64::MAX, decoded: u64::MAX, digits: u32::MAX };

    /// Returns the same limits with another `depth`.
    #[must_use]
    pub const fn with_depth(self, depth: u32) -> Limits {
        Limits { depth, ..self }
    }

    /// Returns the same limits with other `items`.
    #[must_use]
    pub const fn with_items(self, items: u64) -> Limits {
        Limits { items, ..self }
    }

    /// Returns the same limits with another bound on `decoded` bytes.
    #[must_use]
    pub const fn with_decoded(self, decoded: u64) -> Limits {
        Limits { decoded, ..self }
    }

    /// Returns the same limits with another bound on `digits`.
    #[must_use]
    pub const fn with_digits(self, digits: u32) -> Limits {
        Limits { digits, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// The rest of the limits while one message is walked.
#[derive(Debug, Clone)]
pub struct Budget {
    limits: Limits,
    depth: u32,
    /// Values and fields that are left.
    items: u64,
    decoded: u64,
}

impl Budget {
    /// Makes a full budget for one message.
    pub fn new(limits: &Limits) -> Budget {
        let limits = Limits { depth: limits.depth.min(Limits::MAX_DEPTH), ..*limits };
        Budget { limits, depth: 0, items: limits.items, decoded: 0 }
    }

    /// Returns the limits that the budget was made from.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Makes the budget full again for the next message.
    pub fn reset(&mut self) {
        (self.depth, self.items, self.decoded) = (0, self.limits.items, 0);
    }

    /// Makes a budget of the rest, for a message inside of this one below `depth` containers.
    /// [`Budget::settle`] takes from this budget what the inner one spent.
    pub fn inner(&self, depth: usize) -> Budget {
        let depth = self.limits.depth.saturating_sub(u32::try_from(depth).unwrap_or(u32::MAX));
        let decoded = self.limits.decoded.saturating_sub(self.decoded);
        Budget::new(&Limits { depth, items: self.items, decoded, ..self.limits })
    }

    /// Takes from this budget what `inner` has spent.
    pub fn settle(&mut self, inner: &Budget) {
        self.items = self.items.saturating_sub(inner.limits.items - inner.items);
        self.decoded = self.decoded.saturating_add(inner.decoded);
    }

    /// Enters a container at byte `offset`.
    ///
    /// # Errors
    /// The container is deeper than the limit.
    #[inline]
    pub fn enter(&mut self, offset: u64) -> Result<()> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(self.too_deep(offset));
        }
        Ok(())
    }

    /// Returns the error of a container too deep at byte `offset`, for readers that skip values and
    /// count depth themselves.
    #[cold]
    pub fn too_deep(&self, offset: u64) -> Error {
        let error = limit(offset, "more than", u64::from(self.limits.depth), "containers within each other", "depth");
        if self.limits.depth < Limits::MAX_DEPTH { error } else { error.hint("no limit can be higher: flatten the message first") }
    }

    /// Leaves a container.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Spends one value or field at byte `offset`.
    ///
    /// # Errors
    /// None is left.
    #[inline]
    pub fn item(&mut self, offset: u64) -> Result<()> {
        let (left, beyond) = self.items.overflowing_sub(1);
        self.items = left;
        if beyond {
            return Err(self.too_many(offset));
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn too_many(&mut self, offset: u64) -> Error {
        self.items = 0;
        limit(offset, "more than", self.limits.items, "values in one message", "items")
    }

    /// Spends `count` values at once. Returns false, and spends none, if fewer are left;
    /// [`item`](Budget::item) then finds the one too many.
    #[inline]
    pub fn all_items(&mut self, count: u64) -> bool {
        let fits = count <= self.items;
        self.items -= if fits { count } else { 0 };
        fits
    }

    /// Returns whether `count` more values are within the limit.
    #[inline]
    pub fn has_items(&self, count: u64) -> bool {
        count <= self.items
    }

    /// Spends `bytes` that decoding is about to make at byte `offset`.
    ///
    /// # Errors
    /// Fewer are left.
    #[inline]
    pub fn decode(&mut self, bytes: u64, offset: u64) -> Result<()> {
        self.decoded = self.decoded.saturating_add(bytes);
        if self.decoded > self.limits.decoded {
            return Err(limit(offset, "a message that expands to more than", self.limits.decoded, "bytes", "decoded"));
        }
        Ok(())
    }

    /// Checks that a number at byte `offset` may have `digits` digits.
    ///
    /// # Errors
    /// The limit is lower.
    #[inline]
    pub fn digits(&self, digits: usize, offset: u64) -> Result<()> {
        if digits > self.limits.digits as usize {
            return Err(limit(offset, "a number of more than", u64::from(self.limits.digits), "digits", "digits"));
        }
        Ok(())
    }
}

#[cold]
fn limit(offset: u64, more: &str, bound: u64, of: &str, name: &str) -> Error {
    Error::data(ErrorKind::Limit, offset)
        .seen(format!("{more} {bound} {of}"))
        .hint(format!("the limit `{name}` guards against hostile input; raise it if the message is genuine"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_enforced() {
        let mut budget = Budget::new(&Limits { depth: 1, items: 2, decoded: 3, digits: 4 });
        assert!(budget.enter(0).is_ok());
        assert_eq!(budget.enter(7).unwrap_err().offset(), Some(7));
        assert!(budget.item(0).is_ok() && budget.item(0).is_ok());
        assert_eq!(budget.item(0).unwrap_err().kind(), ErrorKind::Limit);
        assert!(budget.decode(3, 0).is_ok() && budget.decode(1, 0).is_err());
        assert!(budget.digits(4, 0).is_ok() && budget.digits(5, 0).is_err());
        budget.reset();
        assert!(budget.enter(0).is_ok());
    }

    #[test]
    fn what_is_inside_spends_from_the_whole() {
        let mut budget = Budget::new(&Limits { depth: 3, items: 3, decoded: 3, digits: 4 });
        budget.item(0).unwrap();
        let mut inner = budget.inner(2);
        assert!(inner.enter(0).is_ok() && inner.enter(0).is_err());
        assert!(inner.item(0).is_ok() && inner.item(0).is_ok() && inner.decode(2, 0).is_ok());
        budget.settle(&inner);
        assert!(budget.item(0).is_err() && budget.decode(1, 0).is_ok() && budget.decode(1, 0).is_err());
        assert!(budget.inner(usize::MAX).enter(0).is_err());
    }

    #[test]
    fn depth_has_a_ceiling() {
        let budget = Budget::new(&Limits { depth: u32::MAX, ..Limits::DEFAULT });
        assert_eq!(budget.limits().depth, Limits::MAX_DEPTH);
    }
}
