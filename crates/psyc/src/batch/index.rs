//! The index of a buffer, made part by part.

use alloc::vec;
use alloc::vec::Vec;

use super::blocks::{BLOCK, Blocks, Carry, Sink, classify, find, portable, write, write_marks};

/// Bytes indexed at a time: with their offsets, they stay in the caches next to the processor.
const CHUNK: usize = 512 * BLOCK;
/// Offsets are written up to this many at a time, wanted or not.
const SLACK: usize = BLOCK;

fn blocks() -> Blocks {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(blocks) = super::simd::blocks() {
        return blocks;
    }
    portable
}

/// The index of a part of a buffer.
#[derive(Debug)]
pub(super) struct Index {
    stops: Vec<u32>,
    stop_count: usize,
    marks: Vec<u32>,
    mark_count: usize,
    /// Number of the next stop to be read.
    pub next: usize,
    /// Where in the buffer the part ends.
    end: usize,
    carry: Carry,
    way: Blocks,
}

impl Default for Index {
    fn default() -> Index {
        Index {
            stops: vec![0; CHUNK + SLACK],
            stop_count: 0,
            marks: vec![0; CHUNK / 2 + 2],
            mark_count: 0,
            next: 0,
            end: 0,
            carry: Carry::LINE,
            way: blocks(),
        }
    }
}

impl Index {
    /// Offsets of the stops, in order.
    #[inline(always)]
    pub fn stops(&self) -> &[u32] {
        &self.stops[..self.stop_count]
    }

    /// Numbers of those stops, in order, that end lines of one byte.
    #[inline(always)]
    pub fn marks(&self) -> &[u32] {
        &self.marks[..self.mark_count]
    }

    /// Returns where the part ends.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> usize {
        (self.stops.capacity() + self.marks.capacity()) * size_of::<u32>()
    }

    /// Starts again at the start of a line, with nothing indexed.
    pub fn seek(&mut self, at: usize) {
        self.end = at;
        self.carry = Carry::LINE;
        self.clear();
    }

    fn clear(&mut self) {
        self.stop_count = 0;
        self.mark_count = 0;
        self.next = 0;
    }

    /// Indexes the next part of `buf` in place of this one.
    pub fn refill(&mut self, buf: &[u8]) {
        self.clear();
        let start = self.end;
        let part = &buf[start..buf.len().min(start + CHUNK)];
        let (whole, rest) = part.as_chunks::<BLOCK>();
        let mut sink = Sink { stops: &mut self.stops, count: 0, marks: &mut self.marks, mark_count: 0 };
        (self.way)(whole, start as u32, &mut self.carry, &mut sink);
        if !rest.is_empty() {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            let mut found = find(classify(&block), &mut self.carry);
            // The byte after the last may end a name; it is not there.
            found.stops &= (1 << rest.len()) - 1;
            write_marks(&found, sink.count, sink.marks, &mut sink.mark_count);
            if let Some(out) = sink.stops[sink.count..].first_chunk_mut() {
                write((start + whole.len() * BLOCK) as u32, found.stops, out);
            }
            sink.count += found.stops.count_ones() as usize;
        }
        (self.stop_count, self.mark_count) = (sink.count, sink.mark_count);
        self.end += part.len();
    }
}
