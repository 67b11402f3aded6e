//! Figures that are measured if they are asked for: compression, memory, fields, sizes at
//! quantiles, the network.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, Read, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use polywire_core::value::Tree;
use polywire_core::walk::{Path, PathStep, Tracker};
use polywire_core::{Error, Field, Next, Note, Open, Part, Result, Scalar, Sink, Span};
use zstd::bulk::{Compressor, Decompressor};

use crate::allocations::HeapCounter;
use crate::comparison::{CodecTimes, FieldBytes, Fields, Memory, Network, Price, Quantiles, Sizes, Time};
use crate::compressed::{GZIP_LEVEL, ZSTD_HIGH, ZSTD_LEVEL};
use crate::harness::{self, Measured, Subject};
use crate::measure::per_message;
use crate::messages::{Arranged, Messages};
use crate::progress::{Progress, Watch};
use crate::prove::{Proof, in_stream};
use crate::size;

/// Figures beside those that are always measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct More {
    /// Time to compress and decompress each message alone.
    pub compression: bool,
    /// Most memory that encoding and decoding hold at once.
    pub memory: bool,
    /// Bytes of each field in each format.
    pub fields: bool,
    /// Quantiles of the sizes.
    pub quantiles: bool,
    /// Bits a second of a network that the messages go through.
    pub bandwidth: Option<f64>,
    /// Price of 10⁹ bytes, in any currency.
    pub egress_price: Option<f64>,
}

/// Most paths with bytes of their own: the bytes of others are counted together.
const PATHS: usize = 200;

/// Returns the quantiles of lengths.
pub(crate) fn quantiles(mut lengths: Vec<usize>) -> Option<Quantiles> {
    lengths.sort_unstable();
    let (smallest, largest) = (*lengths.first()?, *lengths.last()?);
    // The nearest rank: a length that a message has.
    let at = |percent: usize| lengths[(lengths.len() * percent).div_ceil(100).clamp(1, lengths.len()) - 1];
    Some(Quantiles { smallest, p50: at(50), p90: at(90), p99: at(99), largest })
}

/// Returns the time that messages of these sizes take on a network of `bits` a second.
pub(crate) fn network(sizes: &Sizes, bits: f64) -> Network {
    let ns = |bytes: f64| bytes * 8.0 / bits * 1e9;
    Network { raw_ns: ns(sizes.raw), zstd_ns: ns(sizes.zstd) }
}

/// Returns the price of a million messages of these sizes.
pub(crate) fn price(sizes: &Sizes, of_gigabyte: f64) -> Price {
    let million = |bytes: f64| bytes * 1e6 / 1e9 * of_gigabyte;
    Price { raw: million(sizes.raw), zstd: million(sizes.zstd) }
}

/// Returns the most memory that encoding and decoding the longest of the `chosen` messages hold at
/// once, beside the message and its tree. `None` without such a message.
pub(crate) fn memory(messages: &Messages, proof: &Proof, chosen: &[usize], heap: &HeapCounter) -> Result<Option<Memory>> {
    let lengths = chosen.iter().filter_map(|index| Some((proof.message(*index)?.len(), *index)));
    let Some((_, longest)) = lengths.max() else { return Ok(None) };
    let Some(encoded) = proof.message(longest) else { return Ok(None) };
    let mut source = messages.walker(messages.dialect().clone());
    let mut sink = Arranged::new(Tree::without_spans(), proof.needs);
    for index in 0..=longest {
        let (bytes, base) = messages.get(index);
        // In order, those between included: a message may lean on one before it.
        let tree = std::mem::take(&mut sink.tree).recycle();
        sink = Arranged::new(tree, proof.needs);
        source.walk(bytes, base, &mut sink)?;
    }
    let peak = |work: &mut dyn FnMut() -> Result<()>| -> Result<u64> {
        (heap.reset)();
        let before = (heap.live)();
        work()?;
        Ok((heap.peak)().saturating_sub(before).max(0).cast_unsigned())
    };
    let encode = peak(&mut || {
        let Some(mut writer) = in_stream(&proof.dialect) else { return Ok(()) };
        let mut out = Vec::new();
        sink.tree.emit(&mut *writer)?;
        writer.finish(&mut out)?;
        black_box(&out);
        Ok(())
    })?;
    // The first message may have the head that later ones depend on.
    let head = chosen.first().and_then(|first| proof.message(*first)).filter(|_| chosen.first() != Some(&longest));
    let mut reader = proof.dialect.reader();
    let mut budget = polywire_core::Budget::new(messages.limits());
    if let Some(head) = head {
        reader.walk(head, 0, &mut polywire_core::tools::Count::default(), &mut budget)?;
        budget.reset();
    }
    let decode = peak(&mut || {
        let mut tree = Tree::without_spans();
        reader.walk(encoded, 0, &mut tree, &mut budget)?;
        black_box(&tree);
        Ok(())
    })?;
    Ok(Some(Memory { message: encoded.len(), encode, decode }))
}

/// Returns the bytes of each field, on average over the `chosen` messages, in every timed format.
pub(crate) fn fields(messages: &Messages, proofs: &[Proof], chosen: &[usize]) -> Result<Fields> {
    let mut all: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let formats: Vec<&Proof> = proofs.iter().filter(|proof| proof.is_timed()).collect();
    for proof in &formats {
        let mut walker = messages.walker(proof.dialect.clone());
        let mut bytes = BytesOf::default();
        let mut total = 0u64;
        let mut count = 0u64;
        for index in chosen {
            let Some(message) = proof.message(*index) else { continue };
            bytes.start();
            walker.walk(message, 0, &mut bytes)?;
            total += message.len() as u64;
            count += 1;
        }
        let each = count.max(1) as f64;
        let known: u64 = bytes.places.values().sum();
        for (path, sum) in bytes.places {
            all.entry(path).or_default().insert(proof.format.name.to_string(), sum as f64 / each);
        }
        let between = total.saturating_sub(known) as f64 / each;
        all.entry(BETWEEN.to_string()).or_default().insert(proof.format.name.to_string(), between);
    }
    let mut paths: Vec<FieldBytes> = all.into_iter().map(|(path, bytes)| FieldBytes { path, bytes }).collect();
    let sum = |field: &FieldBytes| field.bytes.values().sum::<f64>();
    paths.sort_by(|one, other| sum(other).total_cmp(&sum(one)).then_with(|| one.path.cmp(&other.path)));
    Ok(Fields { messages: chosen.len(), formats: formats.iter().map(|proof| proof.format.name.to_string()).collect(), paths })
}

/// The path of bytes that belong to no value: braces, separators, counts, tags, white space.
pub(crate) const BETWEEN: &str = "(structure)";

/// The path of bytes at places beyond [`PATHS`].
const OTHERS: &str = "(other fields)";

/// Adds up the bytes of values and of their names, by path.
#[derive(Default)]
struct BytesOf {
    tracker: Tracker,
    places: BTreeMap<String, u64>,
}

impl BytesOf {
    fn start(&mut self) {
        self.tracker = Tracker::default();
    }

    /// Adds bytes to the place that was announced last.
    fn add(&mut self, at: Span) {
        if at.is_empty() {
            return;
        }
        let path = name_of(&self.tracker.last_path());
        let path = if self.places.len() < PATHS || self.places.contains_key(&path) { path } else { OTHERS.to_string() };
        *self.places.entry(path).or_default() += at.len();
    }
}

/// Returns the name of a place: elements of a list share that of the list.
fn name_of(path: &Path) -> String {
    let steps: Vec<PathStep> = path.in_schema().0.into_iter().filter(|step| *step != PathStep::Each).collect();
    if steps.is_empty() { "(the message)".to_string() } else { Path(steps).to_string() }
}

impl<'m> Sink<'m> for BytesOf {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.tracker.open(&open);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tracker.field(field.name.get());
        self.add(at);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tracker.scalar(&value);
        self.add(at);
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tracker.part(&part);
        self.add(at);
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.tracker.close();
        Ok(())
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}

/// Returns the times to compress and decompress each of the `chosen` messages alone, by proof.
pub(crate) fn compression(
    proofs: &[Proof],
    chosen: &[usize],
    alone: &[usize],
    time: f64,
    watch: &mut Watch<'_>,
) -> Result<Vec<Option<Vec<CodecTimes>>>> {
    let failed = |error: io::Error| Error::io("compressing in memory", &error);
    let mut works: Vec<(usize, Work<'_>)> = Vec::new();
    for (place, proof) in proofs.iter().enumerate().filter(|(_, proof)| proof.is_timed()) {
        let messages: Vec<&[u8]> = chosen.iter().filter_map(|index| proof.message(*index)).collect();
        let samples: Vec<&[u8]> = alone.iter().filter_map(|index| proof.message(*index)).collect();
        let trained = size::trained(&samples).ok().map(|(dictionary, _)| dictionary);
        let mut codecs = vec![Codec::Gzip, Codec::Zstd(ZSTD_LEVEL), Codec::Zstd(ZSTD_HIGH)];
        codecs.extend(trained.map(Codec::Dictionary));
        for codec in codecs {
            for decompress in [false, true] {
                works.push((place, Work::new(codec.clone(), &messages, decompress).map_err(failed)?));
            }
        }
    }
    let names: Vec<&'static str> = works.iter().map(|(place, _)| proofs[*place].format.name).collect();
    let total = works.len();
    let mut subjects: Vec<&mut dyn Subject> = works.iter_mut().map(|(_, work)| work as &mut dyn Subject).collect();
    let mut tell = |step: harness::Step| {
        let format = names.get(step.subject).copied().unwrap_or_default();
        watch(Progress {
            stage: "compressing",
            format,
            done: step.round.unwrap_or(step.subject),
            total: step.round.map_or(total, |_| step.rounds),
        });
    };
    let measured = harness::run(&mut subjects, time, None, &mut tell)?;
    let mut all: Vec<Option<Vec<CodecTimes>>> = proofs.iter().map(|_| None).collect();
    for (pair, measured) in works.chunks(2).zip(measured.chunks(2)) {
        let [(place, work), _] = pair else { continue };
        let per = |measured: &Measured| -> Option<Time> { per_message(measured, work.messages.len(), work.plain) };
        let [compress, decompress] = measured else { continue };
        if let Some((compress, decompress)) = per(compress).zip(per(decompress)) {
            let bytes = work.packed as f64 / work.messages.len().max(1) as f64;
            all[*place].get_or_insert_default().push(CodecTimes { codec: work.codec.name(), bytes, compress, decompress });
        }
    }
    Ok(all)
}

/// A compression.
#[derive(Debug, Clone)]
enum Codec {
    Gzip,
    Zstd(i32),
    /// zstd with a dictionary.
    Dictionary(Vec<u8>),
}

impl Codec {
    fn name(&self) -> String {
        match self {
            Codec::Gzip => format!("gzip -{GZIP_LEVEL}"),
            Codec::Zstd(level) => format!("zstd -{level}"),
            Codec::Dictionary(_) => format!("zstd -{ZSTD_LEVEL} with a dictionary"),
        }
    }
}

/// Compresses or decompresses each message alone.
struct Work<'a> {
    codec: Codec,
    messages: Vec<&'a [u8]>,
    /// The messages compressed, if they are decompressed.
    compressed: Vec<Vec<u8>>,
    /// Bytes of all messages, and compressed.
    plain: usize,
    packed: usize,
    tool: Tool,
    out: Vec<u8>,
}

/// The state of a compression that is kept from message to message.
enum Tool {
    GzipIn,
    GzipOut,
    ZstdIn(Compressor<'static>),
    ZstdOut(Decompressor<'static>),
}

impl<'a> Work<'a> {
    fn new(codec: Codec, messages: &[&'a [u8]], decompress: bool) -> io::Result<Work<'a>> {
        let tool = match (&codec, decompress) {
            (Codec::Gzip, false) => Tool::GzipIn,
            (Codec::Gzip, true) => Tool::GzipOut,
            (Codec::Zstd(level), false) => Tool::ZstdIn(Compressor::new(*level)?),
            (Codec::Zstd(_), true) => Tool::ZstdOut(Decompressor::new()?),
            (Codec::Dictionary(dictionary), false) => Tool::ZstdIn(Compressor::with_dictionary(ZSTD_LEVEL, dictionary)?),
            (Codec::Dictionary(dictionary), true) => Tool::ZstdOut(Decompressor::with_dictionary(dictionary)?),
        };
        let plain = messages.iter().map(|message| message.len()).sum();
        let most = messages.iter().map(|message| message.len()).max().unwrap_or(0);
        let out = Vec::with_capacity(zstd::zstd_safe::compress_bound(most).max(most));
        let mut work = Work { codec, messages: messages.to_vec(), compressed: Vec::new(), plain, packed: 0, tool, out };
        let mut packer = match &work.codec {
            Codec::Gzip => Tool::GzipIn,
            Codec::Zstd(level) => Tool::ZstdIn(Compressor::new(*level)?),
            Codec::Dictionary(dictionary) => Tool::ZstdIn(Compressor::with_dictionary(ZSTD_LEVEL, dictionary)?),
        };
        for message in messages {
            let mut packed = Vec::with_capacity(zstd::zstd_safe::compress_bound(message.len()));
            packer.run(message, 0, &mut packed)?;
            work.packed += packed.len();
            if decompress {
                work.compressed.push(packed);
            }
        }
        Ok(work)
    }
}

impl Tool {
    /// Compresses or decompresses `bytes`, which have `plain` bytes decompressed.
    fn run(&mut self, bytes: &[u8], plain: usize, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        match self {
            Tool::GzipIn => {
                let mut encoder: GzEncoder<&mut Vec<u8>> = GzBuilder::new().write(out, Compression::new(GZIP_LEVEL));
                encoder.write_all(bytes)?;
                encoder.finish()?;
            }
            Tool::GzipOut => {
                GzDecoder::new(bytes).read_to_end(out)?;
            }
            Tool::ZstdIn(compressor) => {
                out.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
                compressor.compress_to_buffer(bytes, out)?;
            }
            Tool::ZstdOut(decompressor) => {
                out.reserve(plain);
                decompressor.decompress_to_buffer(bytes, out)?;
            }
        }
        Ok(())
    }
}

impl Subject for Work<'_> {
    fn pass(&mut self) -> Result<()> {
        for (place, message) in self.messages.iter().enumerate() {
            let bytes = self.compressed.get(place).map_or(*message, Vec::as_slice);
            let done = self.tool.run(black_box(bytes), message.len(), &mut self.out);
            done.map_err(|error| Error::io("compressing in memory", &error))?;
            black_box(&self.out);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_lengths_that_messages_have() {
        let found = quantiles((1..=200).rev().collect()).unwrap();
        assert_eq!((found.smallest, found.p50, found.p90, found.p99, found.largest), (1, 100, 180, 198, 200));
        let one = quantiles(vec![7]).unwrap();
        assert_eq!((one.smallest, one.p50, one.p99), (7, 7, 7));
        assert!(quantiles(Vec::new()).is_none());
    }

    #[test]
    fn compression_comes_back() {
        let messages: Vec<Vec<u8>> =
            (0..40).map(|n| format!("{{\"id\":{n},\"name\":\"name {n}\",\"tags\":[\"a\",\"b\"]}}").into_bytes()).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        for codec in [Codec::Gzip, Codec::Zstd(3), Codec::Zstd(9), Codec::Dictionary(messages.concat())] {
            let mut work = Work::new(codec.clone(), &slices, true).unwrap();
            assert!(work.packed > 0 && work.plain == messages.concat().len());
            for (packed, message) in work.compressed.clone().iter().zip(&messages) {
                let mut out = Vec::new();
                work.tool.run(packed, message.len(), &mut out).unwrap();
                assert_eq!(&out, message, "{}", codec.name());
            }
            work.pass().unwrap();
            Work::new(codec, &slices, false).unwrap().pass().unwrap();
        }
    }
}
