//! Where lines and names end, for many bytes at a time.
//!
//! Sixty-four bytes are classified at once into bit masks, and the bits that a walk over headers
//! needs are written out as offsets: of every LF, and of the first byte after the run of keyword
//! bytes that a line starts with, with or without an operator before it. In a header line, the two
//! are the end of the name and the end of the value; a method's line has one, since its name ends
//! with the line.
//!
//! The meaning of the bytes plays no part here: bytes inside sized values are classified like
//! others, and the walk steps over the offsets found there.

use polywire_lanes::U8x16;

use crate::wire::LF;

/// Bytes classified at once.
pub(super) const BLOCK: usize = 64;

/// Which bytes of a block are what, the first byte in the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Masks {
    pub lf: u64,
    pub keyword: u64,
}

/// Single bits that the block before carries into this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Carry {
    /// Its last byte is LF.
    lf: u64,
    /// Its last byte is the first of a line.
    first: u64,
    /// It ends in the run of keyword bytes that a line starts with.
    run: u64,
}

impl Carry {
    /// At the start of a line.
    pub const LINE: Carry = Carry { lf: 1, first: 0, run: 0 };
}

/// The stops of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Ends of lines, and of the runs of keyword bytes at their starts.
    pub stops: u64,
    /// Ends of lines of one byte: end marks are among them.
    pub marks: u64,
}

#[inline(always)]
pub(super) fn find(masks: Masks, carry: &mut Carry) -> Found {
    let Masks { lf, keyword } = masks;
    let first = lf << 1 | carry.lf;
    let second = first << 1 | carry.first;
    // Added to a run that it lies in, a bit comes out where the run ends. A run holds one start of
    // a line, perhaps with the byte after it, which changes nothing.
    let (sum, over) = keyword.overflowing_add((first | second) & keyword);
    let (sum, over_too) = sum.overflowing_add(carry.run);
    *carry = Carry { lf: lf >> 63, first: first >> 63, run: u64::from(over | over_too) };
    Found { stops: lf | (sum & !keyword), marks: lf & !first & second }
}

/// Where the index is written to.
pub(super) struct Sink<'s> {
    pub stops: &'s mut [u32],
    pub count: usize,
    /// Numbers of those stops that are marks.
    pub marks: &'s mut [u32],
    pub mark_count: usize,
}

/// Writes the numbers of the marks of a block, of which `count` stops come before. Nearly always
/// there are none or one, and it takes no jump to write that.
#[inline(always)]
pub(super) fn write_marks(found: &Found, count: usize, out: &mut [u32], mark_count: &mut usize) {
    let mut marks = found.marks;
    let number = |marks: u64| count as u32 + (found.stops & !marks & marks.wrapping_sub(1)).count_ones();
    out[*mark_count] = number(marks);
    *mark_count += usize::from(marks != 0);
    marks &= marks.wrapping_sub(1);
    while marks != 0 {
        out[*mark_count] = number(marks);
        *mark_count += 1;
        marks &= marks - 1;
    }
}

/// Writes the offsets of the bits of a block that starts at `base` to `out`, eight at a time.
#[inline(always)]
pub(super) fn write(base: u32, mut bits: u64, out: &mut [u32; BLOCK]) {
    for eight in out.chunks_exact_mut(8) {
        for slot in eight {
            *slot = base + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
        if bits == 0 {
            break;
        }
    }
}

/// How whole blocks are indexed. Takes the blocks and the offset of the first.
pub(super) type Blocks = fn(&[[u8; BLOCK]], u32, &mut Carry, &mut Sink<'_>);

/// Sixteen bytes at a time, with what every processor of the target has.
pub(super) fn portable(blocks: &[[u8; BLOCK]], mut base: u32, carry: &mut Carry, sink: &mut Sink<'_>) {
    for block in blocks {
        let found = find(classify(block), carry);
        write_marks(&found, sink.count, sink.marks, &mut sink.mark_count);
        if let Some(out) = sink.stops[sink.count..].first_chunk_mut() {
            write(base, found.stops, out);
        }
        sink.count += found.stops.count_ones() as usize;
        base = base.wrapping_add(BLOCK as u32);
    }
}

#[inline(always)]
pub(super) fn classify(block: &[u8; BLOCK]) -> Masks {
    let mut masks = Masks { lf: 0, keyword: 0 };
    for (n, part) in block.as_chunks::<16>().0.iter().enumerate() {
        let bytes = U8x16::new(*part);
        let bits = |found: U8x16| u64::from(found.to_bitmask()) << (n * 16);
        let within = |bytes: U8x16, first: u8, last: u8| {
            let there = bytes - U8x16::splat(first);
            there.simd_min(U8x16::splat(last - first)).simd_eq(there)
        };
        masks.lf |= bits(bytes.simd_eq(U8x16::splat(LF)));
        let letter = within(bytes | U8x16::splat(0x20), b'a', b'z');
        masks.keyword |= bits(letter | within(bytes, b'0', b'9') | bytes.simd_eq(U8x16::splat(b'_')));
    }
    masks
}
