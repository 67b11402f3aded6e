//! Writes bodies in which the values of each name stand together (EXI 1.0, 9).

use flate2::{Compress, Compression, FlushCompress};
use polywire_core::{Error, Result};

use super::bits::BitsOut;
use super::index::Index;
use crate::options::{Alignment, Options};
use crate::read::FEW;
use crate::tables::{Arena, Piece, Tables};

/// The values of one name in a block.
#[derive(Debug)]
struct Channel {
    name: u32,
    values: Vec<Piece>,
}

/// The blocks of a stream.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The stream so far.
    stream: Vec<u8>,
    channels: Vec<Channel>,
    /// For each name the last block that it has a channel in, and the channel.
    latest: Vec<(u64, u32)>,
    block: u64,
    texts: Arena,
    count: u32,
    size: u32,
    is_compressed: bool,
    values: BitsOut,
    /// The state of DEFLATE, which is too large to make anew for each of many small streams.
    deflater: Option<Compress>,
}

impl Blocks {
    /// Begins a stream, which has its header already.
    pub fn begin(&mut self, options: &Options, header: &[u8]) {
        self.stream.clear();
        self.stream.extend_from_slice(header);
        self.latest.clear();
        self.channels.clear();
        self.texts.0.clear();
        (self.block, self.count) = (1, 0);
        self.size = options.block_size.max(1);
        self.is_compressed = options.alignment == Alignment::Compression;
    }

    /// Adds a value. Returns true if the block is full.
    pub fn add(&mut self, name: u32, text: &str) -> Result<bool> {
        if self.latest.len() <= name as usize {
            self.latest.resize(name as usize + 1, (0, 0));
        }
        let latest = &mut self.latest[name as usize];
        if latest.0 != self.block {
            *latest = (self.block, self.channels.len() as u32);
            self.channels.push(Channel { name, values: Vec::new() });
        }
        let value = self.texts.add(text)?;
        self.channels[latest.1 as usize].values.push(value);
        self.count += 1;
        Ok(self.count >= self.size)
    }

    /// Ends the block whose structure is `structure`.
    pub fn end(&mut self, tables: &mut Tables, index: &mut Index, structure: &mut BitsOut) -> Result<()> {
        let few = self.count as usize <= FEW;
        self.values.clear(true);
        let channels = std::mem::take(&mut self.channels);
        let is_small = |channel: &&Channel| few || channel.values.len() <= FEW;
        let mut shared = std::mem::take(structure);
        for channel in channels.iter().filter(is_small) {
            for value in &channel.values {
                index.put_value(tables, &mut self.values, channel.name, self.texts.get(*value))?;
            }
        }
        if few {
            shared.bytes(self.values.get());
            self.put(shared.get())?;
        } else {
            self.put(shared.get())?;
            if channels.iter().any(|channel| is_small(&channel)) {
                self.put_values()?;
            }
            for channel in channels.iter().filter(|channel| !is_small(channel)) {
                self.values.clear(true);
                for value in &channel.values {
                    index.put_value(tables, &mut self.values, channel.name, self.texts.get(*value))?;
                }
                self.put_values()?;
            }
        }
        shared.clear(true);
        *structure = shared;
        self.texts.0.clear();
        (self.count, self.block) = (0, self.block + 1);
        Ok(())
    }

    fn put_values(&mut self) -> Result<()> {
        let values = std::mem::take(&mut self.values);
        let outcome = self.put(values.get());
        self.values = values;
        outcome
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if !self.is_compressed {
            self.stream.extend_from_slice(bytes);
            return Ok(());
        }
        let state = self.deflater.get_or_insert_with(|| Compress::new(Compression::best(), false));
        state.reset();
        loop {
            let used = state.total_in() as usize;
            self.stream.reserve(bytes.len() / 4 + 64);
            match state.compress_vec(&bytes[used..], &mut self.stream, FlushCompress::Finish) {
                Ok(flate2::Status::StreamEnd) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(Error::internal(format!("a failure of DEFLATE ({error})"))),
            }
        }
    }

    /// Returns the stream so far.
    pub fn get(&self) -> &[u8] {
        &self.stream
    }
}
