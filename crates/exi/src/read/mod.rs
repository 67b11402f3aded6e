//! Reads streams.

pub(crate) mod blocks;
pub(crate) mod body;
mod header;
mod live;
mod outside;
mod strings;

use polywire_core::{Budget, Error, ErrorKind, Result};

use crate::bits::Bits;
use crate::events::Events;
use crate::options::{Options, SchemaId};
use crate::tables::Tables;
use blocks::Blocks;
use body::{Body, Outside};
use live::Live;

pub(crate) use blocks::FEW;
pub use header::has_header;

/// The outcome of reading a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The options by which it was read.
    pub options: Options,
    /// Number of its bytes.
    pub len: usize,
    /// Number of bytes that have any bits of its header.
    pub header: usize,
    /// True if its header has an options document.
    pub has_options: bool,
}

/// Reads streams, and keeps memory between them.
///
/// ```
/// use polywire_core::{Budget, Limits};
/// use polywire_exi::{Decoder, Encoder, Ignore, Options};
///
/// let mut encoder = Encoder::new();
/// encoder.begin(&Options::default(), Default::default())?;
/// encoder.start("", "note", None)?;
/// encoder.text("hello")?;
/// encoder.end()?;
/// let mut stream = Vec::new();
/// encoder.finish(&mut stream)?;
///
/// let mut budget = Budget::new(&Limits::DEFAULT);
/// let outcome = Decoder::new().read(&stream, 0, None, &mut Ignore, &mut budget)?;
/// assert_eq!(outcome.len, stream.len());
/// # Ok::<(), polywire_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Decoder {
    tables: Tables,
    blocks: Blocks,
}

impl Decoder {
    /// Creates a decoder.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Reads the stream that `bytes` starts with, at offset `base`, and emits its events. `given`
    /// are the options of streams that have none in their header.
    ///
    /// # Errors
    /// The stream is malformed, cut off, written by a schema, or exceeds the budget; or `events`
    /// fails.
    pub fn read<E: Events>(
        &mut self,
        bytes: &[u8],
        base: u64,
        given: Option<&Options>,
        events: &mut E,
        budget: &mut Budget,
    ) -> Result<Outcome> {
        let mut bits = Bits::new(bytes, base);
        let found = header::read(&mut bits, budget)?;
        let has_options = found.is_some();
        let options = found.or_else(|| given.cloned()).unwrap_or_default();
        if let SchemaId::Named(name) = &options.schema {
            return Err(Error::data(ErrorKind::Unsupported, base)
                .seen(match name.as_str() {
                    "" => "EXI by the types of XML Schema".to_string(),
                    name => format!("EXI by the schema `{name}`"),
                })
                .expected("EXI without a schema"));
        }
        if options.alignment != crate::options::Alignment::BitPacked {
            bits.align();
        }
        events.header(&options, bits.since(base), budget)?;
        let header = (bits.since(base).end - base) as usize;
        self.tables.clear()?;
        self.tables.max_length = options.value_max_length;
        self.tables.capacity = options.value_partition_capacity;
        let outside = if options.fragment { Outside::Fragment } else { Outside::Before };
        let mut body = Body::new(&options, outside);
        if options.alignment.has_blocks() {
            let end = self.blocks.read(&mut self.tables, &mut body, &options, bits, events, budget)?;
            return Ok(Outcome { options, len: end, header, has_options });
        }
        body.run(&mut self.tables, &mut bits, &mut Live { events }, budget)?;
        let len = bytes.len() - bits.rest().len();
        Ok(Outcome { options, len, header, has_options })
    }
}
