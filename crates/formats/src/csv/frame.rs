//! Framing: finds the end of a row. The first message of a stream is the header together with the
//! first row.

use polywire_core::Frame;
use polywire_lanes::U8x16;

use super::lex::{BOM, RowEnd, is_single, separator};
use super::options::Options;

/// Bytes that are looked at in one step, with a bit for each.
const STEP: usize = 64;

/// State of the search for the end of the first message. Offsets count from the start of the
/// buffer.
#[derive(Debug, Default)]
pub struct Framer {
    stage: Stage,
    /// The table's separator, once its header was seen.
    separator: Option<u8>,
    /// True if the table has one column, so that a blank line after the header is a row.
    single: bool,
    /// Start of the header, if it belongs to this message.
    header: Option<usize>,
}

#[derive(Debug, Default, Clone, Copy)]
enum Stage {
    #[default]
    Start,
    /// Everything before this is blank lines.
    Blank(usize),
    /// In the row that starts here.
    Row(usize, RowEnd),
}

impl Framer {
    /// Reports whether the next call begins a search.
    pub fn is_at_start(&self) -> bool {
        matches!(self.stage, Stage::Start)
    }

    /// Finds the first message in `buf`; `first` is true at the start of the stream.
    pub fn frame(&mut self, options: &Options, buf: &[u8], first: bool, eof: bool) -> Frame {
        let new_row = |at: usize| Stage::Row(at, RowEnd::new(at, options.quote));
        if let Stage::Start = self.stage {
            if first {
                self.separator = None;
                self.single = false;
                if !eof && buf.len() < BOM.len() && BOM.starts_with(buf) {
                    return Frame::More(1);
                }
            }
            self.stage = Stage::Blank(if first && buf.starts_with(BOM) { BOM.len() } else { 0 });
        }
        loop {
            match &mut self.stage {
                Stage::Start => self.stage = Stage::Blank(0),
                Stage::Blank(at) => match &buf[*at..] {
                    [_, ..] if self.single => self.stage = new_row(*at),
                    [b'\r', b'\n', ..] => *at += 2,
                    [] | [b'\r'] if !eof => return Frame::More(1),
                    [b'\n' | b'\r', ..] => *at += 1,
                    // A header without rows is a table without rows: it has no message.
                    [] => return Frame::End,
                    [..] => self.stage = new_row(*at),
                },
                Stage::Row(start, search) => {
                    let start = *start;
                    let found = search.find(buf, start, self.separator.or(options.separator), eof);
                    let end = match found {
                        Some(end) => end,
                        None if eof => buf.len(),
                        None => return Frame::More(1),
                    };
                    // A quote that is never closed takes in the rows too: the walk reports it.
                    if self.separator.is_none() && found.is_none() && search.is_quoted() {
                        return self.message(start, end);
                    }
                    if self.separator.is_none() {
                        let header = &buf[start..end];
                        let separator = options.separator.unwrap_or_else(|| separator(header, options.quote));
                        self.separator = Some(separator);
                        self.single = is_single(header, options.marks(separator));
                        if !options.header {
                            return self.message(start, end);
                        }
                        self.header = Some(start);
                        self.stage = Stage::Blank(end);
                    } else {
                        return self.message(self.header.unwrap_or(start), end);
                    }
                }
            }
        }
    }

    /// Appends the rows up to the first quote, or carriage return alone, as [`Framer::frame`] finds
    /// them behind the first message.
    pub fn rows(&self, quote: Option<u8>, buf: &[u8], most: usize, found: &mut Vec<(usize, usize)>) {
        // A blank line may be a row of one column.
        if !self.is_at_start() || self.separator.is_none() || self.single {
            return;
        }
        let (feed, back) = (U8x16::splat(b'\n'), U8x16::splat(b'\r'));
        let quote = U8x16::splat(quote.unwrap_or(b'\r'));
        let mut start = 0;
        for (step, block) in buf.chunks(STEP).enumerate() {
            let mut padded = [0; STEP];
            let block: &[u8; STEP] = match block.first_chunk() {
                Some(block) => block,
                None => {
                    padded[..block.len()].copy_from_slice(block);
                    &padded
                }
            };
            let mut marks = 0u64;
            for (place, part) in block.as_chunks::<16>().0.iter().enumerate() {
                let part = U8x16::new(*part);
                let all = part.simd_eq(feed) | part.simd_eq(back) | part.simd_eq(quote);
                marks |= u64::from(all.to_bitmask()) << (16 * place);
            }
            while marks != 0 {
                let at = STEP * step + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let end = match buf.get(at..) {
                    Some([b'\n', ..]) => at + 1,
                    Some([b'\r', b'\n', ..]) => continue,
                    _ => return,
                };
                let is_blank = matches!(&buf[start..end], b"\n" | b"\r\n");
                if !is_blank {
                    found.push((start, end));
                }
                start = end;
                if end >= most {
                    return;
                }
            }
        }
    }

    fn message(&mut self, start: usize, end: usize) -> Frame {
        self.stage = Stage::Start;
        self.header = None;
        Frame::Message { start, end }
    }
}
