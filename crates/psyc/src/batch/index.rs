//! Where lines and names end, for many bytes at a time.
//!
//! Sixty-four bytes are classified at once into bit masks, and the bits that a walk over headers needs are written out as offsets:
//! of every LF, and of the first byte after the run of keyword bytes that a line starts with, with or without an operator before it. In a header line, the
//! two are the end of the name and the end of the value; a method's line has one, since its name ends with the line.
//!
//! What the bytes mean plays no part here: those inside of sized values are looked at like others, and the walk steps over what was found there.

use wide::u8x16;

use crate::wire::{BAR, LF};

/// Bytes classified at once.
pub(super) const BLOCK: usize = 64;
/// Bytes indexed at a time: with their offsets, they fit into the first cache of common processors.
const CHUNK: usize = 256 * BLOCK;
/// Offsets are written up to this many at a time, wanted or not.
const SLACK: usize = BLOCK;

/// Which bytes of a block are what, the first byte in the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Masks {
    pub lf: u64,
    pub bar: u64,
    pub keyword: u64,
}

/// What the block before says about this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Carry {
    lf: u64,
    bar: u64,
    /// It ended in the run of keyword bytes that a line starts with.
    run: bool,
}

impl Carry {
    /// At the start of a line.
    pub const LINE: Carry = Carry { lf: 1 << 63, bar: 0, run: false };
}

/// What is written out of a block.
pub(super) struct Found {
    /// Ends of lines and of the runs of keyword bytes at their starts.
    pub stops: u64,
    /// The LFs of what may be end marks: those after a bar at the start of a line.
    pub marks: u64,
}

#[inline(always)]
pub(super) fn find(masks: Masks, carry: &mut Carry) -> Found {
    let Masks { lf, bar, keyword } = masks;
    let after = lf << 1 | carry.lf >> 63;
    let second = lf << 2 | carry.lf >> 62;
    // Added to a run that it lies in, a bit comes out where the run ends. A run holds one start of a line, perhaps with the byte after it, which changes nothing.
    let starts = (after | second) & keyword;
    let (sum, over) = keyword.overflowing_add(starts);
    let (sum, over_too) = sum.overflowing_add(u64::from(carry.run));
    let marks = lf & (bar << 1 | carry.bar >> 63) & second;
    *carry = Carry { lf, bar, run: over | over_too };
    Found { stops: lf | (sum & !keyword), marks }
}

/// Where found offsets go.
pub(super) struct Sink<'s> {
    pub stops: &'s mut [u32],
    pub count: usize,
    /// Which of the stops may end a packet.
    pub marks: &'s mut [u32],
    pub mark_count: usize,
}

impl Sink<'_> {
    #[inline(always)]
    pub fn marks(&mut self, found: &Found) {
        let mut marks = found.marks;
        while marks != 0 {
            let up_to = marks ^ (marks - 1);
            self.marks[self.mark_count] = (self.count as u32 + (found.stops & up_to).count_ones()) - 1;
            self.mark_count += 1;
            marks &= marks - 1;
        }
    }

    /// Writes offsets, eight at a time.
    #[inline(always)]
    pub fn stops(&mut self, base: u32, mut bits: u64) {
        let count = bits.count_ones() as usize;
        let out = &mut self.stops[self.count..self.count + BLOCK];
        for eight in out.chunks_exact_mut(8) {
            for slot in eight {
                *slot = base + bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                break;
            }
        }
        self.count += count;
    }
}

/// How whole blocks are indexed. Takes the blocks and the offset of the first.
type Blocks = fn(&[[u8; BLOCK]], u32, &mut Carry, &mut Sink<'_>);

fn blocks() -> Blocks {
    #[cfg(target_arch = "x86_64")]
    if let Some(blocks) = super::simd::blocks() {
        return blocks;
    }
    portable
}

/// Sixteen bytes at a time, with what every processor of the target has.
pub(super) fn portable(blocks: &[[u8; BLOCK]], base: u32, carry: &mut Carry, sink: &mut Sink<'_>) {
    for (n, block) in blocks.iter().enumerate() {
        let found = find(classify(block), carry);
        sink.marks(&found);
        sink.stops(base + (n * BLOCK) as u32, found.stops);
    }
}

#[inline(always)]
pub(super) fn classify(block: &[u8; BLOCK]) -> Masks {
    let mut masks = Masks { lf: 0, bar: 0, keyword: 0 };
    for (n, part) in block.as_chunks::<16>().0.iter().enumerate() {
        let bytes = u8x16::from(*part);
        let bits = |found: u8x16| u64::from(found.to_bitmask()) << (n * 16);
        let within = |bytes: u8x16, first: u8, last: u8| {
            let there = bytes - u8x16::splat(first);
            there.min(u8x16::splat(last - first)).simd_eq(there)
        };
        masks.lf |= bits(bytes.simd_eq(u8x16::splat(LF)));
        masks.bar |= bits(bytes.simd_eq(u8x16::splat(BAR)));
        let letter = within(bytes | u8x16::splat(0x20), b'a', b'z');
        masks.keyword |= bits(letter | within(bytes, b'0', b'9') | bytes.simd_eq(u8x16::splat(b'_')));
    }
    masks
}

/// The index of a part of a buffer: what is left of it to be read, and how to go on.
#[derive(Debug)]
pub(super) struct Index {
    stops: Vec<u32>,
    marks: Vec<u32>,
    /// Number of marks.
    mark_count: usize,
    /// The next mark.
    mark: usize,
    /// Where in the buffer the index ends.
    at: usize,
    carry: Carry,
    blocks: Blocks,
}

impl Default for Index {
    fn default() -> Index {
        Index {
            stops: vec![0; 1 + CHUNK + SLACK],
            marks: vec![0; 1 + CHUNK / 2],
            mark_count: 0,
            mark: 0,
            at: 0,
            carry: Carry::LINE,
            blocks: blocks(),
        }
    }
}

impl Index {
    /// Offsets of the stops of the part; valid up to the count that [`Index::refill`] told.
    #[inline(always)]
    pub fn stops(&self) -> &[u32] {
        &self.stops
    }

    /// Where the indexed part ends.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.at
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.stops.capacity() + self.marks.capacity()) * size_of::<u32>()
    }

    /// Starts again at the start of a line.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
        self.carry = Carry::LINE;
        self.mark_count = 0;
        self.mark = 0;
    }

    /// Number of the first stop from `from` on that ends what may be an end mark.
    #[inline(always)]
    pub fn next_mark(&mut self, from: usize) -> Option<usize> {
        while self.mark < self.mark_count {
            let stop = self.marks[self.mark] as usize;
            if stop >= from {
                return Some(stop);
            }
            self.mark += 1;
        }
        None
    }

    /// Indexes the next part of `buf`. One stop, which was not read yet, may be kept; it becomes the first. Tells the number of stops.
    #[cold]
    #[inline(never)]
    pub fn refill(&mut self, buf: &[u8], kept: Option<u32>) -> usize {
        if let Some(kept) = kept {
            self.stops[0] = kept;
        }
        self.mark = 0;
        let mut sink = Sink { stops: &mut self.stops, count: usize::from(kept.is_some()), marks: &mut self.marks, mark_count: 0 };
        let part = &buf[self.at..buf.len().min(self.at + CHUNK)];
        let (whole, rest) = part.as_chunks::<BLOCK>();
        (self.blocks)(whole, self.at as u32, &mut self.carry, &mut sink);
        if !rest.is_empty() {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            let mut found = find(classify(&block), &mut self.carry);
            // The byte after the last may end a name; it is not there.
            found.stops &= (1 << rest.len()) - 1;
            sink.marks(&found);
            sink.stops((self.at + whole.len() * BLOCK) as u32, found.stops);
        }
        self.mark_count = sink.mark_count;
        self.at += part.len();
        sink.count
    }
}
