//! A buffer with gaps that are filled later: counts, length prefixes, and parts out of order.

use crate::bytes::short::framed;

/// Collects one message. A gap is opened where a prefix belongs and filled when the prefix is
/// known; one final copy inserts all prefixes, so nothing is moved per level. Bytes that come after
/// their place are appended as a piece, which the same copy puts into its gap.
#[derive(Debug, Clone, Default)]
pub struct OutBuf {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
    pieces: Vec<Range>,
    /// Bytes in the gaps filled so far.
    inserted: usize,
}

#[derive(Debug, Clone, Copy)]
struct Gap {
    at: usize,
    holds: Holds,
}

/// Contents of a gap, as the final copy inserts them.
#[derive(Debug, Clone, Copy)]
enum Holds {
    Prefix(u8, [u8; Gap::MAX]),
    /// A piece, by its number.
    Piece(u32),
    /// Not a gap, but where the piece of that number was appended: the copy goes on behind it.
    Elsewhere(u32),
}

impl Gap {
    /// The longest prefix: a 64-bit varint.
    const MAX: usize = 10;
}

/// Consecutive bytes, and the gaps within them.
#[derive(Debug, Clone, Copy)]
struct Range {
    start: usize,
    end: usize,
    first_gap: usize,
    end_gap: usize,
}

/// A gap that was opened. Gaps may be filled in any order.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    gap: usize,
    start: usize,
}

/// A piece that was started.
#[derive(Debug, Clone, Copy)]
pub struct Piece(u32);

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

    /// Appends `before` and `text`, which is likely to be short.
    #[inline]
    pub fn put_short<const N: usize>(&mut self, before: [u8; N], text: &[u8]) {
        framed(&mut self.bytes, before, text, []);
    }

    /// Appends one byte and a fixed-width number's bytes: the header shape of most binary formats.
    #[inline]
    pub fn tagged<const N: usize>(&mut self, tag: u8, number: [u8; N]) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&number);
    }

    /// Appends one byte, and a LEB128 varint behind it.
    #[inline]
    pub fn tagged_varint(&mut self, tag: u8, value: u64) {
        if value < 0x80 {
            self.bytes.extend_from_slice(&[tag, value as u8]);
        } else {
            self.bytes.push(tag);
            self.varint(value);
        }
    }

    /// Appends a LEB128 varint.
    #[inline]
    pub fn varint(&mut self, value: u64) {
        put_varint(value, &mut self.bytes);
    }

    /// Returns the bytes appended so far, without gaps, for writers that use a library's `Vec`
    /// interface.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Returns the bytes appended so far, without gaps.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of bytes so far, filled gaps included.
    pub fn len(&self) -> usize {
        self.bytes.len() + self.inserted
    }

    /// Returns true if nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Leaves a gap here. One that is never filled stays empty.
    pub fn open(&mut self) -> Mark {
        self.gaps.push(Gap { at: self.bytes.len(), holds: Holds::Prefix(0, [0; Gap::MAX]) });
        Mark { gap: self.gaps.len() - 1, start: self.len() }
    }

    /// Returns the number of bytes since the gap was opened, prefixes filled since then included.
    pub fn since(&self, mark: Mark) -> usize {
        self.len() - mark.start
    }

    /// Fills a gap.
    ///
    /// # Panics
    /// If `prefix` is longer than ten bytes, or the mark is not of this message.
    #[inline]
    pub fn close(&mut self, mark: Mark, prefix: &[u8]) {
        let mut bytes = [0; Gap::MAX];
        bytes[..prefix.len()].copy_from_slice(prefix);
        self.fill(mark, Holds::Prefix(prefix.len() as u8, bytes));
    }

    /// Fills a gap with a LEB128 varint.
    ///
    /// # Panics
    /// If the mark is not of this message.
    #[inline]
    pub fn close_varint(&mut self, mark: Mark, value: u64) {
        let (len, bytes) = leb128(value);
        self.fill(mark, Holds::Prefix(len as u8, bytes));
    }

    #[inline]
    fn fill(&mut self, mark: Mark, with: Holds) {
        let len = |holds: &Holds| if let Holds::Prefix(len, _) = holds { usize::from(*len) } else { 0 };
        let holds = &mut self.gaps[mark.gap].holds;
        self.inserted = self.inserted + len(&with) - len(holds);
        *holds = with;
    }

    /// Starts a piece that belongs into a gap further ahead.
    pub fn piece(&mut self) -> Piece {
        let number = self.pieces.len() as u32;
        let at = self.bytes.len();
        self.gaps.push(Gap { at, holds: Holds::Elsewhere(number) });
        self.pieces.push(Range { start: at, end: at, first_gap: self.gaps.len(), end_gap: self.gaps.len() });
        Piece(number)
    }

    /// Ends a piece and puts it into the gap `mark`, which was opened before it. A composite whose
    /// length is measured must hold both gap and piece, or neither.
    ///
    /// # Panics
    /// If the mark or the piece is not of this message.
    pub fn place(&mut self, mark: Mark, piece: Piece) {
        let (end, end_gap) = (self.bytes.len(), self.gaps.len());
        let range = &mut self.pieces[piece.0 as usize];
        (range.end, range.end_gap) = (end, end_gap);
        self.fill(mark, Holds::Piece(piece.0));
    }

    /// Removes and returns the bytes appended since [`OutBuf::position`] was `start`, with their
    /// prefixes. A piece must lie wholly inside or wholly before them.
    pub fn cut(&mut self, start: usize) -> Vec<u8> {
        self.cut_from(start, self.gaps.partition_point(|gap| gap.at < start))
    }

    /// Removes and returns the bytes appended since the gap was opened, with their prefixes. The
    /// gap stays, empty.
    ///
    /// # Panics
    /// If the mark is not of this message.
    pub fn take_since(&mut self, mark: Mark) -> Vec<u8> {
        self.fill(mark, Holds::Prefix(0, [0; Gap::MAX]));
        self.cut_from(self.gaps[mark.gap].at, mark.gap + 1)
    }

    fn cut_from(&mut self, start: usize, first_gap: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.copy(Range { start, end: self.bytes.len(), first_gap, end_gap: self.gaps.len() }, &mut bytes);
        self.inserted -= bytes.len() - (self.bytes.len() - start);
        self.pieces.truncate(self.pieces.partition_point(|piece| piece.start < start));
        self.gaps.truncate(first_gap);
        self.bytes.truncate(start);
        bytes
    }

    /// Returns the number of bytes so far, without gaps.
    pub fn position(&self) -> usize {
        self.bytes.len()
    }

    /// Appends the message with its prefixes to `out`, and clears the buffer.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.gaps.is_empty() && out.is_empty() && out.capacity() >= self.bytes.len() {
            std::mem::swap(&mut self.bytes, out);
            return;
        }
        out.reserve(self.len());
        self.copy(Range { start: 0, end: self.bytes.len(), first_gap: 0, end_gap: self.gaps.len() }, out);
        self.clear();
    }

    /// Appends `range` to `out`, with the contents of its gaps. Recursion is as deep as pieces are
    /// nested.
    fn copy(&self, range: Range, out: &mut Vec<u8>) {
        let (mut copied, mut next) = (range.start, range.first_gap);
        while next < range.end_gap {
            let gap = &self.gaps[next];
            out.extend_from_slice(&self.bytes[copied..gap.at]);
            (copied, next) = (gap.at, next + 1);
            match gap.holds {
                Holds::Prefix(len, prefix) => out.extend_from_slice(&prefix[..usize::from(len)]),
                Holds::Piece(number) => self.copy(self.pieces[number as usize], out),
                Holds::Elsewhere(number) => {
                    let piece = self.pieces[number as usize];
                    (copied, next) = (piece.end, piece.end_gap);
                }
            }
        }
        out.extend_from_slice(&self.bytes[copied..range.end]);
    }

    /// Forgets the message and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.gaps.clear();
        self.pieces.clear();
        self.inserted = 0;
    }
}

/// Appends a LEB128 varint.
#[inline]
pub fn put_varint(value: u64, out: &mut Vec<u8>) {
    let (len, bytes) = leb128(value);
    out.extend_from_slice(&bytes[..len]);
}

/// Returns the length of a LEB128 varint, and its bytes.
#[inline]
const fn leb128(mut value: u64) -> (usize, [u8; Gap::MAX]) {
    let mut bytes = [0; Gap::MAX];
    let mut len = 0;
    while value >= 0x80 {
        bytes[len] = value as u8 | 0x80;
        value >>= 7;
        len += 1;
    }
    bytes[len] = value as u8;
    (len + 1, bytes)
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
    fn a_message_without_gaps_replaces_an_empty_buffer() {
        let (mut out, mut bytes) = (OutBuf::default(), Vec::with_capacity(8));
        for message in [&b"abc"[..], b"", b"defghi", b"longer than the memory there is"] {
            out.put(message);
            bytes.clear();
            out.finish(&mut bytes);
            assert_eq!(bytes, message);
            assert!(out.is_empty());
        }
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

    #[test]
    fn pieces_go_where_they_belong() {
        let mut out = OutBuf::default();
        let whole = out.open();
        let second = out.open();
        let third = out.open();
        out.put(b"4");
        let piece = out.piece();
        // In a piece, prefixes and pieces are as elsewhere.
        let outer = out.open();
        let inner = out.open();
        out.put(b"y");
        let late = out.piece();
        out.put(b"x");
        out.place(inner, late);
        let len = out.since(outer) as u64;
        out.close_varint(outer, len + 300);
        out.place(third, piece);
        out.close(second, b"2");
        out.put(b"5");
        let len = out.since(whole);
        out.close(whole, len.to_string().as_bytes());
        let mut bytes = Vec::new();
        out.clone().finish(&mut bytes);
        assert_eq!(bytes, b"72\xae\x02xy45");
        assert_eq!(out.len(), 8);
        assert_eq!(out.cut(0), bytes);
        out.put(b"z");
        out.finish(&mut bytes);
        assert_eq!(bytes, b"72\xae\x02xy45z");
    }

    #[test]
    fn a_piece_inside_what_is_cut_goes_with_it() {
        let mut out = OutBuf::default();
        out.put(b"-");
        let start = out.position();
        let mark = out.open();
        out.put(b"b");
        let piece = out.piece();
        out.put(b"a");
        out.place(mark, piece);
        assert_eq!(out.cut(start), b"ab");
        assert_eq!((out.len(), out.position()), (1, 1));
    }
}
