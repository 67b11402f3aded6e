//! A buffer that leaves gaps for what is known only later: counts and length prefixes.

/// Collects one message. A gap is opened where a prefix belongs, filled when it is known, and all prefixes are inserted
/// in one final copy: nothing is moved per level.
#[derive(Debug, Clone, Default)]
pub struct OutBuf {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
    /// Bytes in the gaps filled so far.
    inserted: usize,
}

#[derive(Debug, Clone, Copy)]
struct Gap {
    at: usize,
    len: u8,
    prefix: [u8; Gap::MAX],
}

impl Gap {
    /// The longest prefix: a 64-bit varint.
    const MAX: usize = 10;
}

/// A gap that was opened. Gaps may be filled in any order.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    gap: usize,
    start: usize,
}

impl OutBuf {
    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends one byte and a fixed-width number's bytes: the header shape of most binary formats.
    #[inline]
    pub fn tagged<const N: usize>(&mut self, tag: u8, number: [u8; N]) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&number);
    }

    /// Appends a LEB128 varint.
    #[inline]
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// The bytes appended so far, gaps left out, for writers that use the `Vec` interface of a library.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Number of bytes so far, filled gaps included.
    pub fn len(&self) -> usize {
        self.bytes.len() + self.inserted
    }

    /// Whether nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Leaves a gap here. One that is never filled stays empty.
    pub fn open(&mut self) -> Mark {
        self.gaps.push(Gap { at: self.bytes.len(), len: 0, prefix: [0; Gap::MAX] });
        Mark { gap: self.gaps.len() - 1, start: self.len() }
    }

    /// Number of bytes since the gap was opened, prefixes filled since then included.
    pub fn since(&self, mark: Mark) -> usize {
        self.len() - mark.start
    }

    /// Fills a gap.
    ///
    /// # Panics
    /// If `prefix` is longer than ten bytes, or the mark is not of this message.
    pub fn close(&mut self, mark: Mark, prefix: &[u8]) {
        let gap = &mut self.gaps[mark.gap];
        self.inserted = self.inserted + prefix.len() - usize::from(gap.len);
        gap.prefix[..prefix.len()].copy_from_slice(prefix);
        gap.len = prefix.len() as u8;
    }

    /// Takes back what was appended since [`OutBuf::position`] was `start`, prefixes in their places.
    pub fn cut(&mut self, start: usize) -> Vec<u8> {
        let first = self.gaps.partition_point(|gap| gap.at < start);
        let mut cut = OutBuf { bytes: self.bytes.split_off(start), gaps: self.gaps.split_off(first), inserted: 0 };
        for gap in &mut cut.gaps {
            gap.at -= start;
            cut.inserted += usize::from(gap.len);
        }
        self.inserted -= cut.inserted;
        let mut bytes = Vec::new();
        cut.finish(&mut bytes);
        bytes
    }

    /// Takes back what was appended since the gap was opened, prefixes in their places. The gap stays, empty.
    ///
    /// # Panics
    /// If the mark is not of this message.
    pub fn take_since(&mut self, mark: Mark) -> Vec<u8> {
        let start = self.gaps[mark.gap].at;
        let mut cut = OutBuf { bytes: self.bytes.split_off(start), gaps: self.gaps.split_off(mark.gap + 1), inserted: 0 };
        for gap in &mut cut.gaps {
            gap.at -= start;
            cut.inserted += usize::from(gap.len);
        }
        let own = &mut self.gaps[mark.gap];
        self.inserted -= cut.inserted + usize::from(std::mem::take(&mut own.len));
        let mut bytes = Vec::new();
        cut.finish(&mut bytes);
        bytes
    }

    /// Number of bytes so far, gaps left out.
    pub fn position(&self) -> usize {
        self.bytes.len()
    }

    /// Appends the message to `out`, prefixes in their places, and is empty again.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        let mut copied = 0;
        for gap in &self.gaps {
            out.extend_from_slice(&self.bytes[copied..gap.at]);
            out.extend_from_slice(&gap.prefix[..usize::from(gap.len)]);
            copied = gap.at;
        }
        out.extend_from_slice(&self.bytes[copied..]);
        self.clear();
    }

    /// Forgets the message and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.gaps.clear();
        self.inserted = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_go_where_their_gaps_were() {
        let mut out = OutBuf::default();
        let outer = out.open();
        out.put(b"a");
        let inner = out.open();
        out.put(b"bc");
        assert_eq!(out.since(inner), 2);
        out.close(inner, b"2:");
        out.put(b"d");
        assert_eq!(out.since(outer), 6);
        out.close(outer, b"6:");
        let unfilled = out.open();
        assert_eq!(out.since(unfilled), 0);
        let mut bytes = b"> ".to_vec();
        out.finish(&mut bytes);
        assert_eq!(bytes, b"> 6:a2:bcd");
        assert!(out.is_empty());
    }

    #[test]
    fn what_is_taken_back_leaves_the_gap() {
        let mut out = OutBuf::default();
        let outer = out.open();
        let inner = out.open();
        out.put(b"ab");
        let deep = out.open();
        out.put(b"c");
        out.close(deep, b"[");
        assert_eq!(out.take_since(inner), b"ab[c");
        out.put(b"xyz");
        assert_eq!((out.since(inner), out.since(outer)), (3, 3));
        out.close(inner, b"3");
        out.close(outer, b"4");
        let mut bytes = Vec::new();
        out.finish(&mut bytes);
        assert_eq!(bytes, b"43xyz");
    }

    #[test]
    fn what_is_cut_off_takes_its_gaps_along() {
        let mut out = OutBuf::default();
        let before = out.open();
        out.put(b"ab");
        let start = out.position();
        let mark = out.open();
        out.put(b"cd");
        out.close(mark, b"[");
        out.close(before, b"<");
        assert_eq!(out.cut(start), b"[cd");
        out.put(b"e");
        assert_eq!(out.len(), 4);
        let mut bytes = Vec::new();
        out.finish(&mut bytes);
        assert_eq!(bytes, b"<abe");
    }
}
