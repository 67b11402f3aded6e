//! Times of every format: encode, decode and scan.
//!
//! The clock covers: *Encode*: [`Writer::tree`] of a prepared tree, and `finish` into
//! a reused buffer; fields are grouped before if the writer needs it. *Decode*: [`Reader::walk`]
//! into a recycled tree that borrows where it can. *Scan*: the same walk into a sink that only
//! counts. It does not cover framing, compression and files.

use polywire_core::tools::{Count, passes};
use polywire_core::value::Tree;
use polywire_core::{Budget, Needs, Reader, Result, Writer};

use crate::allocations::AllocCounter;
use crate::comparison::{Time, Times};
use crate::harness::{self, Measured, Subject};
use crate::messages::{Arranged, Messages};
use crate::progress::{Progress, Watch};
use crate::prove::{Proof, in_stream};
use crate::rival::Contender;
use crate::rivals::Checked;
use crate::stats::Spread;

/// Most bytes of the timed messages, in the input's format: as the messages of one
/// format after the other, more than a core's own caches hold, and few enough for many rounds.
pub(crate) const TIMED_BYTES: usize = 1 << 20;

/// Times of one library.
#[derive(Default)]
pub(crate) struct RivalTimes {
    pub(crate) encode: Option<Time>,
    pub(crate) decode: Option<Time>,
}

/// Returns the times of each proof and of its rivals, in order; `None` for those that are not
/// timed.
///
/// `chosen` are the timed messages, which every timed format holds. `time` is in seconds, for each
/// of the `runs`.
pub(crate) fn measure(
    messages: &Messages,
    proofs: &[Proof],
    checked: &[Vec<Checked>],
    chosen: &[usize],
    (time, runs): (f64, usize),
    counter: Option<AllocCounter>,
    watch: &mut Watch<'_>,
) -> Result<Vec<(Option<Times>, Vec<RivalTimes>)>> {
    let possible: Vec<&Proof> = proofs.iter().filter(|proof| proof.is_timed()).collect();
    let mut kinds: Vec<(Needs, Vec<Tree<'_>>)> = Vec::new();
    for proof in &possible {
        if kinds.iter().all(|(needs, _)| *needs != proof.needs) {
            kinds.push((proof.needs, trees(messages, chosen, proof.needs)?));
        }
    }
    let mut benches: Vec<(Encode<'_>, Walk<'_>, Walk<'_>)> = Vec::new();
    for proof in &possible {
        let trees = kinds.iter().find(|(needs, _)| *needs == proof.needs).map_or(&[][..], |(_, trees)| trees);
        let Some(writer) = in_stream(&proof.dialect) else { continue };
        let first = (0..messages.len()).find_map(|index| proof.message(index));
        let walk = |target| -> Result<Walk<'_>> {
            let (mut reader, mut budget) = (proof.dialect.reader(), Budget::new(messages.limits()));
            // The first message may have the head that later ones depend on.
            first.map_or(Ok(()), |first| reader.walk(first, 0, &mut Count::default(), &mut budget))?;
            let encoded = chosen.iter().filter_map(|index| proof.message(*index)).collect();
            Ok(Walk { reader, budget, encoded, target })
        };
        let encode = Encode { writer, trees, out: Vec::new() };
        benches.push((encode, walk(Target::Tree(Box::new(Tree::without_spans())))?, walk(Target::Count)?));
    }
    let mut subjects: Vec<&mut dyn Subject> = Vec::new();
    for (encode, decode, scan) in &mut benches {
        subjects.push(encode);
        subjects.push(decode);
        subjects.push(scan);
    }
    let mut names: Vec<&'static str> = possible.iter().flat_map(|proof| [proof.format.name; 3]).collect();
    let mut decodes = Vec::new();
    let mut encodes = Vec::new();
    for (proof, checked) in proofs.iter().zip(checked) {
        let bytes: Vec<&[u8]> = chosen.iter().filter_map(|index| proof.message(*index)).collect();
        for checked in checked.iter().filter(|checked| checked.why.is_none()) {
            decodes.push(Decode { contender: checked.rival.enter(&proof.dialect)?, messages: bytes.clone(), name: checked.rival.name() });
            if checked.written.is_some() {
                let mut contender = checked.rival.enter(&proof.dialect)?;
                bytes.iter().try_for_each(|message| contender.keep(message))?;
                encodes.push(Again { contender, trees: bytes.len(), out: Vec::new(), name: checked.rival.name() });
            }
        }
    }
    for decode in &mut decodes {
        names.push(decode.name);
        subjects.push(decode);
    }
    for encode in &mut encodes {
        names.push(encode.name);
        subjects.push(encode);
    }
    let total = subjects.len();
    let mut tell = |step: harness::Step| {
        let format = names.get(step.subject).copied().unwrap_or_default();
        watch(match step.round {
            None => Progress { stage: "calibrating", format, done: step.subject, total },
            Some(round) => Progress { stage: "measuring", format, done: round, total: step.rounds },
        });
    };
    let measured = harness::runs(&mut subjects, time, runs, counter, &mut tell)?;
    let (ours, rivals) = measured.split_at(3 * possible.len());
    let (decodes, encodes) = rivals.split_at(rivals.len() - checked.iter().flatten().filter(|checked| checked.written.is_some()).count());
    let (mut ours, mut decodes, mut encodes) = (ours.chunks(3), decodes.iter(), encodes.iter());
    let mut all = Vec::with_capacity(proofs.len());
    for (proof, checked) in proofs.iter().zip(checked) {
        let bytes: usize = chosen.iter().filter_map(|index| proof.message(*index)).map(<[u8]>::len).sum();
        let per = |measured: &Measured| per_message(measured, chosen.len(), bytes);
        let times = if !proof.is_timed() {
            None
        } else if let Some([encode, decode, scan]) = ours.next() {
            per(encode).zip(per(decode)).zip(per(scan)).map(|((encode, decode), scan)| Times { encode, decode, scan })
        } else {
            None
        };
        let of_rivals = checked.iter().map(|checked| RivalTimes {
            decode: if checked.why.is_none() { decodes.next().and_then(per) } else { None },
            encode: if checked.written.is_some() { encodes.next().and_then(per) } else { None },
        });
        let of_rivals = of_rivals.collect();
        all.push((times, of_rivals));
    }
    Ok(all)
}

fn trees<'m>(messages: &'m Messages, chosen: &[usize], needs: Needs) -> Result<Vec<Tree<'m>>> {
    let mut walker = messages.walker(messages.dialect().clone());
    let mut trees = Vec::with_capacity(chosen.len());
    // In order, those between included: a message may lean on one before it.
    for index in 0..chosen.last().map_or(0, |last| last + 1) {
        let (bytes, base) = messages.get(index);
        if chosen.get(trees.len()) == Some(&index) {
            let mut sink = Arranged::new(Tree::without_spans(), needs);
            walker.walk(bytes, base, &mut sink)?;
            trees.push(sink.tree);
        } else {
            walker.walk(bytes, base, &mut Count::default())?;
        }
    }
    Ok(trees)
}

/// Returns the time of one message, from passes over `messages` messages of `bytes` bytes in all.
pub(crate) fn per_message(measured: &Measured, messages: usize, bytes: usize) -> Option<Time> {
    let each = messages.max(1) as f64;
    let ns: Vec<f64> = measured.rounds.iter().map(|seconds| seconds * 1e9 / each).collect();
    let samples = ns.clone();
    let runs = measured.runs.iter().map(|seconds| seconds * 1e9 / each).collect();
    let ns = Spread::of(&ns)?;
    // Bytes per nanosecond are thousands of million bytes per second.
    let mb_per_s = if ns.median > 0.0 { bytes as f64 / each / ns.median * 1e3 } else { 0.0 };
    Some(Time { ns, samples, runs, mb_per_s, allocations: measured.allocations.map(|made| made / each) })
}

/// Writes trees as bytes.
struct Encode<'a> {
    writer: Box<dyn Writer>,
    trees: &'a [Tree<'a>],
    out: Vec<u8>,
}

impl Subject for Encode<'_> {
    fn pass(&mut self) -> Result<()> {
        self.passes(1)
    }

    fn passes(&mut self, count: u64) -> Result<()> {
        passes::write(&mut *self.writer, self.trees, &mut self.out, count)
    }

    fn rest(&mut self) {
        // Writers of lossy formats note losses as they go.
        drop(self.writer.losses());
    }
}

/// Reads bytes to a tree, or to counts only.
struct Walk<'a> {
    reader: Box<dyn Reader>,
    budget: Budget,
    encoded: Vec<&'a [u8]>,
    target: Target<'a>,
}

enum Target<'a> {
    Tree(Box<Tree<'a>>),
    Count,
}

impl Subject for Walk<'_> {
    fn pass(&mut self) -> Result<()> {
        self.passes(1)
    }

    fn passes(&mut self, count: u64) -> Result<()> {
        match &mut self.target {
            Target::Tree(tree) => passes::read(&mut *self.reader, &self.encoded, tree, &mut self.budget, count),
            Target::Count => passes::scan(&mut *self.reader, &self.encoded, &mut self.budget, count),
        }
    }
}

/// Reads bytes to a library's own tree, and drops the tree.
struct Decode<'a> {
    contender: Box<dyn Contender<'a> + 'a>,
    messages: Vec<&'a [u8]>,
    name: &'static str,
}

impl Subject for Decode<'_> {
    fn pass(&mut self) -> Result<()> {
        self.passes(1)
    }

    fn passes(&mut self, count: u64) -> Result<()> {
        self.contender.decode_all(&self.messages, count)
    }
}

/// Writes a library's own trees as bytes.
struct Again<'a> {
    contender: Box<dyn Contender<'a> + 'a>,
    trees: usize,
    out: Vec<u8>,
    name: &'static str,
}

impl Subject for Again<'_> {
    fn pass(&mut self) -> Result<()> {
        self.passes(1)
    }

    fn passes(&mut self, count: u64) -> Result<()> {
        self.contender.encode_all(self.trees, &mut self.out, count)
    }
}
