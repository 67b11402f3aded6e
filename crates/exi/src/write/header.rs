//! Writes headers and options documents (EXI 1.0, 5 and appendix C).

use polywire_core::{Error, ErrorKind, Result};

use super::bits::BitsOut;
use crate::bits::width;
use crate::header::{COMMON, COOKIE, HEADER, LESS_COMMON, PRESERVE, UNCOMMON};
use crate::options::{Alignment, BLOCK_SIZE, Options, SchemaId};

/// The parts of a header beyond the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// True if the header starts with the four bytes `$EXI`.
    pub cookie: bool,
    /// True if the header has an options document, which says how to read the stream.
    pub options: bool,
}

pub(super) fn write(out: &mut BitsOut, head: Head, options: &Options) -> Result<()> {
    if head.cookie {
        out.bytes(COOKIE);
    }
    // The two bits of every stream, the options' presence, and version 1.
    out.bits(0b10, 2);
    out.bits(u32::from(head.options), 1);
    out.bits(0, 5);
    if head.options {
        document(out, options)?;
    }
    if options.alignment != Alignment::BitPacked {
        out.align();
    }
    Ok(())
}

/// The elements of a sequence that are written, in their order.
struct Sequence {
    count: usize,
    from: usize,
}

impl Sequence {
    fn of(count: usize) -> Sequence {
        Sequence { count, from: 0 }
    }

    fn element(&mut self, out: &mut BitsOut, child: usize) {
        out.bits((child - self.from) as u32, width(self.count - self.from + 1));
        self.from = child + 1;
    }

    fn end(self, out: &mut BitsOut) {
        let left = self.count - self.from;
        out.bits(left as u32, width(left + 1));
    }
}

fn document(out: &mut BitsOut, options: &Options) -> Result<()> {
    if !options.datatypes.is_empty() || !options.metadata.is_empty() {
        return Err(Error::new(ErrorKind::Unsupported, polywire_core::Fault::Caller)
            .seen("datatype representations, or elements of a user's own, in an options document")
            .expected("neither: without a schema they have no effect"));
    }
    let keep = options.preserve;
    let keeps = [keep.doctypes, keep.prefixes, keep.lexical, keep.comments, keep.instructions];
    let alignment = match options.alignment {
        Alignment::BytePacked => Some(0),
        Alignment::PreCompression => Some(1),
        _ => None,
    };
    let uncommon =
        alignment.is_some() || options.self_contained || options.value_max_length.is_some() || options.value_partition_capacity.is_some();
    let blocks = options.block_size != BLOCK_SIZE;
    let less_common = uncommon || keeps.contains(&true) || blocks;
    let compression = options.alignment == Alignment::Compression;
    let common = compression || options.fragment || options.schema != SchemaId::Absent;

    out.bits(0, 1);
    let mut header = Sequence::of(HEADER.len());
    if less_common {
        header.element(out, 0);
        let mut sequence = Sequence::of(LESS_COMMON.len());
        if uncommon {
            sequence.element(out, 0);
            self::uncommon(out, options, alignment);
        }
        if keeps.contains(&true) {
            sequence.element(out, 1);
            let mut parts = Sequence::of(PRESERVE.len());
            for (child, _) in keeps.iter().enumerate().filter(|(_, kept)| **kept) {
                parts.element(out, child);
            }
            parts.end(out);
        }
        if blocks {
            sequence.element(out, 2);
            out.unsigned(u64::from(options.block_size));
        }
        sequence.end(out);
    }
    if common {
        header.element(out, 1);
        let mut sequence = Sequence::of(COMMON.len());
        if compression {
            sequence.element(out, 0);
        }
        if options.fragment {
            sequence.element(out, 1);
        }
        match &options.schema {
            SchemaId::Absent => {}
            SchemaId::Nil => {
                sequence.element(out, 2);
                // `xsi:nil`, and its value.
                out.bits(0b11, 2);
            }
            SchemaId::Named(name) => {
                sequence.element(out, 2);
                out.bits(0, 1);
                out.unsigned(name.chars().count() as u64 + 2);
                out.characters(name);
            }
        }
        sequence.end(out);
    }
    if options.strict {
        header.element(out, 2);
    }
    header.end(out);
    Ok(())
}

fn uncommon(out: &mut BitsOut, options: &Options, alignment: Option<u32>) {
    let mut from = 0;
    let mut first = true;
    let mut code = |out: &mut BitsOut, child: usize| {
        // Before the first one, elements of a user's own have a code too.
        out.bits((child - from) as u32, width(UNCOMMON.len() - from + 1 + usize::from(first)));
        (from, first) = (child + 1, false);
    };
    if let Some(alignment) = alignment {
        code(out, 0);
        out.bits(alignment, 1);
    }
    if options.self_contained {
        code(out, 1);
    }
    if let Some(length) = options.value_max_length {
        code(out, 2);
        out.unsigned(u64::from(length));
    }
    if let Some(capacity) = options.value_partition_capacity {
        code(out, 3);
        out.unsigned(u64::from(capacity));
    }
    code(out, UNCOMMON.len());
}
