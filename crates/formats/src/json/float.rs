//! Floats as text: the shortest digits that give them back.

/// Memory for the text of a float.
pub(super) struct Buffer {
    plain: zmij::Buffer,
    wide: ryu::Buffer,
}

impl Buffer {
    #[inline]
    pub(super) fn new() -> Buffer {
        Buffer { plain: zmij::Buffer::new(), wide: ryu::Buffer::new() }
    }

    /// Returns the text of a finite float, as ryu spells it.
    #[inline]
    pub(super) fn format(&mut self, value: f64) -> &str {
        // zmij is faster, and spells exponents otherwise.
        if (1e-3..1e15).contains(&value.abs()) { self.plain.format_finite(value) } else { self.wide.format_finite(value) }
    }
}
