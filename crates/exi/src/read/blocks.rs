//! Reads bodies in which the values of each name stand together (EXI 1.0, 9).

use flate2::{Decompress, FlushDecompress, Status};
use polywire_core::{Budget, Error, ErrorKind, Result, Span};

use super::body::{Body, Of, Receiver, Taken, Type};
use super::live::{self, Live};
use crate::bits::Bits;
use crate::events::Events;
use crate::options::{Alignment, Options};
use crate::tables::{Piece, Tables};

/// Number of values up to which the values of a name, or all of a block, share a compressed stream
/// with others (9.3).
pub(crate) const FEW: usize = 100;

/// Bytes of memory that an event takes until its block ends.
const RECORD: u64 = 24;

/// Structure that waits for the values of its block.
#[derive(Debug, Clone, Copy)]
enum Record {
    Start(u32, Option<Piece>),
    End,
    /// A value: the channel, and its place in it.
    Value(Of, u32, u32),
    /// Anything else: its place among them.
    Other(u32),
}

#[derive(Debug, Clone, Copy)]
enum Other {
    Namespace(Piece, Piece, bool),
    Type((u32, Option<Piece>), Type),
    Comment(Piece),
    Instruction([Piece; 2]),
    Doctype([Piece; 4]),
    Reference(Piece),
}

/// The values of one name in a block.
#[derive(Debug, Clone, Copy)]
struct Channel {
    name: u32,
    count: u32,
    /// Place of the first one among the block's values.
    first: u32,
}

/// Blocks of a stream, and memory for one.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    records: Vec<Record>,
    others: Vec<Other>,
    channels: Vec<Channel>,
    /// For each name the last block that it has a channel in, and the channel.
    latest: Vec<(u64, u32)>,
    block: u64,
    values: Vec<Piece>,
    /// Number of values in the block, and the most that it can have.
    count: u32,
    size: u32,
    is_compressed: bool,
    inflated: Vec<u8>,
    /// The state of DEFLATE, which is too large to make anew for each of many small streams.
    inflater: Option<Decompress>,
}

impl Blocks {
    /// Reads a body that starts where `bits` are. Returns the end of the stream.
    pub fn read<E: Events>(
        &mut self,
        tables: &mut Tables,
        body: &mut Body,
        options: &Options,
        bits: Bits<'_>,
        events: &mut E,
        budget: &mut Budget,
    ) -> Result<usize> {
        self.latest.clear();
        (self.block, self.size) = (0, options.block_size.max(1));
        self.is_compressed = options.alignment == Alignment::Compression;
        let mut source = bits;
        source.set_aligned(true);
        loop {
            self.begin();
            let start = source.offset();
            let ended = if self.is_compressed {
                self.compressed(tables, body, &mut source, budget)?
            } else {
                let ended = body.run(tables, &mut source, self, budget)?;
                let at = source.offset();
                let few = self.count as usize <= FEW;
                for pass in self.passes(few) {
                    self.channel_values(pass, tables, &mut source, at, budget)?;
                }
                ended
            };
            self.replay(tables, events, source.since(start), budget)?;
            if ended {
                return Ok(source.pos());
            }
        }
    }

    fn begin(&mut self) {
        self.records.clear();
        self.others.clear();
        self.channels.clear();
        self.values.clear();
        (self.count, self.block) = (0, self.block + 1);
    }

    /// Returns the channels in the order in which their values stand.
    fn passes(&self, few: bool) -> Vec<usize> {
        let is_small = |channel: &usize| few || self.channels[*channel].count as usize <= FEW;
        let small = (0..self.channels.len()).filter(is_small);
        small.chain((0..self.channels.len()).filter(|channel| !is_small(channel))).collect()
    }

    fn channel_values(&mut self, channel: usize, tables: &mut Tables, bits: &mut Bits<'_>, at: u64, budget: &mut Budget) -> Result<()> {
        let Channel { name, count, .. } = self.channels[channel];
        self.channels[channel].first = self.values.len() as u32;
        budget.decode(if self.is_compressed { u64::from(count) * 8 } else { 0 }, at)?;
        for _ in 0..count {
            let value = tables.read_value(bits, name, budget)?;
            self.values.push(value);
        }
        Ok(())
    }

    fn compressed(&mut self, tables: &mut Tables, body: &mut Body, source: &mut Bits<'_>, budget: &mut Budget) -> Result<bool> {
        let mut inflated = std::mem::take(&mut self.inflated);
        let at = source.offset();
        inflate(source, &mut inflated, &mut self.inflater, budget)?;
        let mut bits = Bits::inflated(&inflated, at);
        let ended = body.run(tables, &mut bits, self, budget)?;
        let few = self.count as usize <= FEW;
        let mut shares = few;
        for channel in self.passes(few) {
            let small = few || self.channels[channel].count as usize <= FEW;
            if !small || !shares {
                shares = small;
                inflate(source, &mut inflated, &mut self.inflater, budget)?;
                bits = Bits::inflated(&inflated, at);
            }
            self.channel_values(channel, tables, &mut bits, at, budget)?;
        }
        self.inflated = inflated;
        Ok(ended)
    }

    fn replay<E: Events>(&mut self, tables: &mut Tables, events: &mut E, at: Span, budget: &mut Budget) -> Result<()> {
        for record in &self.records {
            match *record {
                Record::Start(number, prefix) => events.start(live::name(tables, number, prefix), at, budget)?,
                Record::End => events.end(at, budget)?,
                Record::Value(of, channel, place) => {
                    let first = self.channels[channel as usize].first;
                    let value = self.values[(first + place) as usize];
                    live::emit_value(events, tables, of, value, at, budget)?;
                }
                Record::Other(place) => {
                    let mut live = Live { events: &mut *events };
                    match self.others[place as usize] {
                        Other::Namespace(prefix, uri, own) => live.namespace(tables, prefix, uri, own, at, budget)?,
                        Other::Type(name, value) => live.xsi_type(tables, name, value, at, budget)?,
                        Other::Comment(text) => live.comment(tables, text, at, budget)?,
                        Other::Instruction(parts) => live.instruction(tables, parts, at, budget)?,
                        Other::Doctype(parts) => live.doctype(tables, parts, at, budget)?,
                        Other::Reference(name) => live.reference(tables, name, at, budget)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, record: Record, at: u64, budget: &mut Budget) -> Result<()> {
        if self.is_compressed {
            budget.decode(RECORD, at)?;
        }
        self.records.push(record);
        Ok(())
    }

    fn other(&mut self, other: Other, at: u64, budget: &mut Budget) -> Result<()> {
        self.record(Record::Other(self.others.len() as u32), at, budget)?;
        self.others.push(other);
        Ok(())
    }
}

/// Inflates the stream at which `source` is into `out`, and steps over it.
fn inflate(source: &mut Bits<'_>, out: &mut Vec<u8>, inflater: &mut Option<Decompress>, budget: &mut Budget) -> Result<()> {
    let (input, at) = (source.rest(), source.offset());
    let state = inflater.get_or_insert_with(|| Decompress::new(false));
    state.reset(false);
    out.clear();
    let mut chunk = [0; 16 << 10];
    loop {
        let (used, made) = (state.total_in() as usize, state.total_out());
        let outcome = state.decompress(&input[used..], &mut chunk, FlushDecompress::None);
        let made = (state.total_out() - made) as usize;
        budget.decode(made as u64, at)?;
        out.extend_from_slice(&chunk[..made]);
        match outcome {
            Ok(Status::StreamEnd) => break,
            Ok(_) if made > 0 || state.total_in() as usize > used => {}
            Ok(_) => return Err(Error::truncated(at + input.len() as u64, "the end of a compressed stream")),
            Err(error) => {
                let error = Error::data(ErrorKind::Syntax, at + state.total_in()).seen(format!("bad compression ({error})"));
                return Err(error.expected("a stream of DEFLATE"));
            }
        }
    }
    source.skip(state.total_in() as usize);
    Ok(())
}

impl Receiver for Blocks {
    fn start(&mut self, _: &Tables, name: u32, prefix: Option<Piece>, at: Span, budget: &mut Budget) -> Result<()> {
        self.record(Record::Start(name, prefix), at.start, budget)
    }

    fn end(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        self.record(Record::End, at.start, budget)
    }

    fn self_contained(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        Err(Error::internal("a self-contained element in blocks"))
    }

    fn namespace(&mut self, _: &Tables, prefix: Piece, uri: Piece, own: bool, at: Span, budget: &mut Budget) -> Result<()> {
        self.other(Other::Namespace(prefix, uri, own), at.start, budget)
    }

    fn xsi_type(&mut self, _: &Tables, name: (u32, Option<Piece>), value: Type, at: Span, budget: &mut Budget) -> Result<()> {
        self.other(Other::Type(name, value), at.start, budget)
    }

    fn value(&mut self, tables: &mut Tables, _: &mut Bits<'_>, of: Of, at: u64, budget: &mut Budget) -> Result<bool> {
        let (Of::Attribute(name, _) | Of::Text(name)) = of;
        if self.latest.len() < tables.names.len() {
            self.latest.resize(tables.names.len(), (0, 0));
        }
        let latest = &mut self.latest[name as usize];
        if latest.0 != self.block {
            *latest = (self.block, self.channels.len() as u32);
            self.channels.push(Channel { name, count: 0, first: 0 });
        }
        let channel = latest.1;
        let entry = &mut self.channels[channel as usize];
        let place = entry.count;
        entry.count += 1;
        self.count += 1;
        self.record(Record::Value(of, channel, place), at, budget)?;
        Ok(self.count >= self.size)
    }

    fn text(&mut self, tables: &mut Tables, bits: &mut Bits<'_>, name: u32, _: (u32, u32), at: u64, budget: &mut Budget) -> Result<Taken> {
        Ok(if self.value(tables, bits, Of::Text(name), at, budget)? { Taken::Full } else { Taken::Text })
    }

    fn comment(&mut self, _: &Tables, text: Piece, at: Span, budget: &mut Budget) -> Result<()> {
        self.other(Other::Comment(text), at.start, budget)
    }

    fn instruction(&mut self, _: &Tables, parts: [Piece; 2], at: Span, budget: &mut Budget) -> Result<()> {
        self.other(Other::Instruction(parts), at.start, budget)
    }

    fn doctype(&mut self, _: &Tables, parts: [Piece; 4], at: Span, budget: &mut Budget) -> Result<()> {
        self.other(Other::Doctype(parts), at.start, budget)
    }

    fn reference(&mut self, _: &Tables, name: Piece, at: Span, budget: &mut Budget) -> Result<()> {
        self.other(Other::Reference(name), at.start, budget)
    }
}
