//! Times: encode, decode and scan of every format, in interleaved rounds.
//!
//! What is in the clock. *Encode*: [`Tree::emit`] of a prepared tree into the writer, and `finish` into a buffer that is reused; where a
//! writer asks for grouped fields, grouping was done before. *Decode*: [`Reader::walk`] into a recycled tree that borrows what it can.
//! *Scan*: the same walk into a sink that only counts. Framing, compression and files are not in it.
//!
//! A round runs every measurement of every format once, so that what disturbs the machine for a while disturbs all alike.

use std::hint::black_box;
use std::time::Instant;

use polywire_core::count::Count;
use polywire_core::error::Result;
use polywire_core::limits::Budget;
use polywire_core::read::Reader;
use polywire_core::sink::Needs;
use polywire_core::tree::Tree;
use polywire_core::write::Writer;

use crate::compare::{Progress, Watch};
use crate::comparison::{Time, Times};
use crate::messages::{Arranged, Messages};
use crate::options::AllocCounter;
use crate::prove::Proof;
use crate::stats::Spread;

/// The timed messages have at most so many bytes in the input's format: more than the caches next to a core hold, little enough for many rounds.
pub(crate) const TIMED_BYTES: usize = 4 << 20;

/// Rounds of a measurement at most.
pub(crate) const ROUNDS: usize = 21;

/// Rounds of a measurement at least, even if that takes more than its budget.
pub(crate) const LEAST_ROUNDS: usize = 3;

/// The times of each proof, in order; `None` for those that are not possible. `chosen` are the timed messages, `time` is in seconds.
pub(crate) fn measure(
    messages: &Messages,
    proofs: &[Proof],
    chosen: &[usize],
    time: f64,
    counter: Option<AllocCounter>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Option<Times>>> {
    let possible: Vec<&Proof> = proofs.iter().filter(|proof| proof.why.is_none()).collect();
    let mut kinds: Vec<(Needs, Vec<Tree<'_>>)> = Vec::new();
    for proof in &possible {
        if kinds.iter().all(|(needs, _)| *needs != proof.needs) {
            kinds.push((proof.needs, trees(messages, chosen, proof.needs)?));
        }
    }
    let mut benches = Vec::new();
    for proof in &possible {
        let trees = kinds.iter().find(|(needs, _)| *needs == proof.needs).map_or(&[][..], |(_, trees)| trees);
        benches.extend(Bench::new(proof, chosen, trees, messages));
    }
    let mut runs: Vec<Run> = Vec::new();
    let total = benches.len() * 3;
    for (index, bench) in benches.iter_mut().enumerate() {
        for (at, work) in Work::ALL.iter().enumerate() {
            watch(Progress { stage: "calibrating", format: bench.name, done: index * 3 + at, total });
            runs.push(Run::calibrate(bench, index, *work, time, counter)?);
        }
    }
    let rounds = runs.iter().map(|run| run.rounds).max().unwrap_or(0);
    for round in 0..rounds {
        for run in &mut runs {
            if round < run.rounds {
                watch(Progress { stage: "measuring", format: benches[run.bench].name, done: round, total: rounds });
                run.round(&mut benches[run.bench])?;
            }
        }
    }
    let mut done = runs.iter().map(|run| run.time(&benches[run.bench]));
    let mut next = || done.next().flatten();
    Ok(proofs
        .iter()
        .map(|proof| {
            if proof.why.is_some() {
                return None;
            }
            let (encode, decode, scan) = (next(), next(), next());
            Some(Times { encode: encode?, decode: decode?, scan: scan? })
        })
        .collect())
}

fn trees<'m>(messages: &'m Messages, chosen: &[usize], needs: Needs) -> Result<Vec<Tree<'m>>> {
    let mut walker = messages.walker(messages.format());
    chosen
        .iter()
        .map(|index| {
            let (bytes, base) = messages.get(*index);
            let mut sink = Arranged::new(Tree::without_spans(), needs);
            walker.walk(bytes, base, &mut sink)?;
            Ok(sink.tree)
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Encode,
    Decode,
    Scan,
}

impl Work {
    const ALL: [Work; 3] = [Work::Encode, Work::Decode, Work::Scan];
}

/// One format, ready to run.
struct Bench<'a> {
    name: &'static str,
    reader: Box<dyn Reader>,
    writer: Box<dyn Writer>,
    budget: Budget,
    trees: &'a [Tree<'a>],
    encoded: Vec<&'a [u8]>,
    out: Vec<u8>,
    tree: Tree<'a>,
}

impl<'a> Bench<'a> {
    fn new(proof: &'a Proof, chosen: &[usize], trees: &'a [Tree<'a>], messages: &Messages) -> Option<Bench<'a>> {
        let encoded = chosen.iter().map(|index| proof.places[*index]).map(|(start, end)| &proof.batch[start..end]).collect();
        Some(Bench {
            name: proof.format.name,
            reader: (proof.format.reader)(),
            writer: proof.format.writer?(),
            budget: Budget::new(messages.limits()),
            trees,
            encoded,
            out: Vec::new(),
            tree: Tree::without_spans(),
        })
    }

    /// One pass over the timed messages.
    fn pass(&mut self, work: Work) -> Result<()> {
        match work {
            Work::Encode => {
                for tree in self.trees {
                    self.out.clear();
                    black_box(tree).emit(&mut *self.writer)?;
                    self.writer.finish(&mut self.out)?;
                    black_box(&self.out);
                }
            }
            Work::Decode => {
                for bytes in &self.encoded {
                    self.budget.reset();
                    let mut tree = std::mem::take(&mut self.tree).recycle();
                    self.reader.walk(black_box(bytes), 0, &mut tree, &mut self.budget)?;
                    self.tree = black_box(tree);
                }
            }
            Work::Scan => {
                for bytes in &self.encoded {
                    self.budget.reset();
                    let mut count = Count::default();
                    self.reader.walk(black_box(bytes), 0, &mut count, &mut self.budget)?;
                    black_box(count);
                }
            }
        }
        Ok(())
    }

    /// Seconds that `passes` take.
    fn clock(&mut self, work: Work, passes: u64) -> Result<f64> {
        let start = Instant::now();
        for _ in 0..passes {
            self.pass(work)?;
        }
        let seconds = start.elapsed().as_secs_f64();
        // Writers note losses of lossy formats as they go: they are taken off them outside the clock.
        drop(self.writer.losses());
        Ok(seconds)
    }

    /// Bytes of the timed messages in this format.
    fn bytes(&self) -> usize {
        self.encoded.iter().map(|bytes| bytes.len()).sum()
    }
}

/// One measurement on its way.
struct Run {
    bench: usize,
    work: Work,
    /// Passes over the timed messages in one round.
    passes: u64,
    rounds: usize,
    /// Nanoseconds per message, by round.
    samples: Vec<f64>,
    allocations: Option<f64>,
}

impl Run {
    /// Warms up, counts allocations, and finds out how many passes fill the budget.
    fn calibrate(bench: &mut Bench<'_>, index: usize, work: Work, time: f64, counter: Option<AllocCounter>) -> Result<Run> {
        bench.clock(work, 1)?;
        let mut allocations = None;
        if let Some(counter) = counter {
            let before = counter();
            bench.pass(work)?;
            let made = counter().saturating_sub(before);
            allocations = Some(made as f64 / bench.encoded.len().max(1) as f64);
        }
        let slice = time / ROUNDS as f64;
        let mut passes = 1;
        let mut seconds = bench.clock(work, passes)?;
        // Far below the slice, the clock's own steps would count.
        while seconds < slice / 4.0 && passes < 1 << 40 {
            passes *= 2;
            seconds = bench.clock(work, passes)?;
        }
        let one = (seconds / passes as f64).max(1e-12);
        let passes = ((slice / one) as u64).max(1);
        let rounds = ((time / (one * passes as f64)) as usize).clamp(LEAST_ROUNDS, ROUNDS);
        Ok(Run { bench: index, work, passes, rounds, samples: Vec::with_capacity(rounds), allocations })
    }

    fn round(&mut self, bench: &mut Bench<'_>) -> Result<()> {
        let seconds = bench.clock(self.work, self.passes)?;
        self.samples.push(seconds * 1e9 / self.passes as f64 / bench.encoded.len().max(1) as f64);
        Ok(())
    }

    fn time(&self, bench: &Bench<'_>) -> Option<Time> {
        let ns = Spread::of(&self.samples)?;
        let bytes = bench.bytes() as f64 / bench.encoded.len().max(1) as f64;
        // Bytes per nanosecond are thousands of million bytes per second.
        Some(Time { ns, mb_per_s: if ns.median > 0.0 { bytes / ns.median * 1e3 } else { 0.0 }, allocations: self.allocations })
    }
}
