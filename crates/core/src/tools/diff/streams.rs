//! Two streams of messages side by side.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use crate::error::{Error, Result};
use crate::format::declaration::Repeats;
use crate::tools::adapt::{Missed, Places, Projection, Sought, Walker};
use crate::tools::stream::Stream;
use crate::tools::tee::Held;
use crate::value::tree::Tree;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span, Str};
use crate::walk::forward::Forward;
use crate::walk::path::Path;
use crate::walk::sink::{Needs, Sink};

use super::align::{Hunk, align, pair};
use super::difference::Difference;
use super::digest::{Digester, Ignored};
use super::keyed::{ListKey, matched};
use super::listing::{Line, Mark, alone};
use super::options::Options;
use super::values::{Diff, How, Ignore, difference};

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// A difference, and the messages that it is in.
#[derive(Debug, Clone)]
pub struct Found {
    /// Index of the message on the left, if there is one.
    pub left: Option<u64>,
    /// Index of the message on the right, if there is one.
    pub right: Option<u64>,
    /// The difference.
    pub what: What,
}

/// A report of messages that differ.
#[derive(Debug, Clone)]
pub enum What {
    /// Where they differ, and how. A message that one stream alone has differs as a whole.
    Difference(Difference),
    /// All differences of the message, with lines around them.
    Listing(Vec<Line>),
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Messages on the left.
    pub left: u64,
    /// Messages on the right.
    pub right: u64,
    /// Pairs of messages that were compared, and messages that only one side has.
    pub compared: u64,
    /// Those of them that differ.
    pub differing: u64,
    /// All differences, reported or not.
    pub differences: u64,
    /// Differences of messages beyond the limit, if messages are listed.
    pub unlisted: u64,
    /// Paths to ignore that named nothing in any message.
    pub unmatched: Vec<Missed>,
    /// True if a part of the streams was too long to be aligned, and was compared as it stands.
    pub unaligned: bool,
    /// Keys that no message and no element has, as they were given.
    pub unused_keys: Vec<String>,
    /// Messages and elements whose key another one beside them has. They were matched in order.
    pub doubled: u64,
}

/// The error that ended a comparison.
#[derive(Debug)]
pub struct Failed {
    /// The stream that cannot be read; `None` if reporting a difference failed.
    pub side: Option<Side>,
    /// The error.
    pub error: Error,
}

/// A stream to compare.
pub struct Half<'a> {
    /// The stream.
    pub stream: &'a mut Stream<Box<dyn Read>>,
    /// The walker of its messages.
    pub walker: &'a mut Walker,
    /// The same stream once more, if messages are aligned or matched by key.
    pub ahead: Option<Ahead<'a>>,
}

/// A stream that is read ahead of its comparison, for the digests of its messages.
pub struct Ahead<'a> {
    /// The stream.
    pub stream: &'a mut Stream<Box<dyn Read>>,
    /// A walker of its own.
    pub walker: &'a mut Walker,
    /// The bytes that are held in memory until the comparison has read them too.
    pub held: Held,
}

/// Most messages of a side that are aligned at once.
const WINDOW: usize = 1 << 20;

/// Most bytes of a side that are held in memory meanwhile, apart from the last message.
const HELD: usize = 64 << 20;

/// Compares the messages of two streams, each in its own format, and passes each difference to
/// `found`. Memory: one message of each side; with an alignment, 16 bytes for each of up to a
/// million messages of a side; with a key of the messages, that for all of them, and those that
/// differ and stand in another order.
///
/// Messages are compared as by [`differences`](super::differences), and as the options say. Fields
/// of one name are one list, where the format means that.
///
/// # Errors
/// The first message on either side that can't be read, after the differences before it were
/// reported.
pub fn streams<'a>(
    left: Half<'a>,
    right: Half<'a>,
    options: &Options,
    found: &mut dyn FnMut(&Found) -> Result<()>,
) -> Result<Outcome, Failed> {
    let repeats = [&left.walker, &right.walker].iter().any(|walker| walker.format().repeats == Repeats::List);
    let how = options.how();
    let sought = options.ignore.as_ref().map(|paths| (paths, Sought::new(paths)));
    let used = vec![false; how.keys.len()];
    let mut run = Run { options, how: &how, repeats, sought, outcome: Outcome::default(), used, found };
    let (mut one, ahead) = Cursor::new(Side::Left, left);
    let (mut other, other_ahead) = Cursor::new(Side::Right, right);
    match (ahead, other_ahead) {
        (Some(ahead), Some(other_ahead)) => {
            let digester = Digester { state: foldhash::fast::RandomState::default(), tolerance: how.tolerance, repeats };
            let leads = [Lead::new(Side::Left, ahead), Lead::new(Side::Right, other_ahead)];
            match how.keys.iter().position(|key| key.is_for(&[])) {
                Some(key) => run.by_key(key, leads, &digester, &mut one, &mut other)?,
                None => run.aligned(leads, &digester, &mut one, &mut other)?,
            }
        }
        _ => while run.next(&mut one, &mut other)? {},
    }
    Ok(run.end())
}

/// The paths to ignore, and those of them that named something.
type SoughtPaths<'o> = Option<(&'o Projection, Sought)>;

/// A comparison under way.
struct Run<'o> {
    options: &'o Options,
    how: &'o How,
    /// Fields of one name are one list on one of the sides.
    repeats: bool,
    sought: SoughtPaths<'o>,
    outcome: Outcome,
    /// The keys that an element had.
    used: Vec<bool>,
    found: &'o mut dyn FnMut(&Found) -> Result<()>,
}

/// One message after the other, with the memory for its tree.
struct Cursor<'a> {
    side: Side,
    stream: &'a mut Stream<Box<dyn Read>>,
    walker: &'a mut Walker,
    /// Index of the next message.
    next: u64,
    memory: Tree<'static>,
}

impl<'a> Cursor<'a> {
    fn new(side: Side, half: Half<'a>) -> (Cursor<'a>, Option<Ahead<'a>>) {
        (Cursor { side, stream: half.stream, walker: half.walker, next: 0, memory: Tree::new() }, half.ahead)
    }

    /// Returns the failure of the message that came last.
    fn failed(&self, error: Error) -> Failed {
        Failed { side: Some(self.side), error: self.stream.explain(error) }
    }

    /// Reads the next message and leaves it; keeps a copy if `keep` is true.
    fn pass(&mut self, keep: bool) -> Result<Option<Tree<'static>>, Failed> {
        let memory = std::mem::take(&mut self.memory).recycle();
        let tree = match read(self.stream, self.walker, memory) {
            Ok(tree) => tree,
            Err(error) => return Err(self.failed(error)),
        };
        self.next += 1;
        let Some(tree) = tree else { return Ok(None) };
        let mut copy = Copied(Tree::new());
        let outcome = if keep { tree.emit(&mut copy) } else { Ok(()) };
        self.memory = tree.recycle();
        match outcome {
            Ok(()) => Ok(Some(copy.0)),
            Err(error) => Err(self.failed(error)),
        }
    }
}

/// Reads the next message into a tree.
fn read<'m>(stream: &'m mut Stream<Box<dyn Read>>, walker: &mut Walker, memory: Tree<'m>) -> Result<Option<Tree<'m>>> {
    let Some(message) = stream.next(walker)? else { return Ok(None) };
    let mut grouped = Grouped(memory);
    walker.walk(message.bytes, message.base, &mut grouped)?;
    Ok(Some(grouped.0))
}

/// The digests of messages that are ahead of their comparison.
struct Lead<'a> {
    side: Side,
    ahead: Ahead<'a>,
    digests: Vec<Digest>,
    /// Nothing follows: the stream has ended, or cannot be read on.
    done: bool,
    failed: Option<Failed>,
    memory: Tree<'static>,
}

#[derive(Debug, Clone, Copy)]
struct Digest {
    /// Hash of the whole message.
    whole: u64,
    /// Hash of what it is known by: its key, or the first field.
    known: u64,
}

impl<'a> Lead<'a> {
    fn new(side: Side, ahead: Ahead<'a>) -> Lead<'a> {
        Lead { side, ahead, digests: Vec::new(), done: false, failed: None, memory: Tree::new() }
    }

    /// Reads messages until there are `most` digests, or much is held in memory. `key` makes the
    /// key of a message, if that counts.
    fn fill(&mut self, most: usize, digester: &Digester, sought: &mut SoughtPaths<'_>, key: Option<&ListKey>, has_key: &mut bool) {
        while !self.done && self.digests.len() < most && (self.digests.is_empty() || key.is_some() || self.ahead.held.bytes() < HELD) {
            let memory = std::mem::take(&mut self.memory).recycle();
            let tree = match read(self.ahead.stream, self.ahead.walker, memory) {
                Ok(tree) => tree,
                Err(error) => {
                    self.failed = Some(Failed { side: Some(self.side), error: self.ahead.stream.explain(error) });
                    self.done = true;
                    return;
                }
            };
            let Some(tree) = tree else {
                self.done = true;
                return;
            };
            if let Some(root) = tree.root() {
                let places = if sought.is_some() { Places::root() } else { Places::NOWHERE };
                let mut ignored = sought.as_mut().map(|(paths, sought)| Ignored { paths, hits: &mut sought.hits });
                let whole = digester.digest(root, &places, &mut ignored, &mut None);
                let known = match key {
                    None => digester.sketch(root, whole),
                    Some(key) => match key.digest(root, digester) {
                        Some(known) => {
                            *has_key = true;
                            known
                        }
                        // Without its key, a message is known by all of it.
                        None => !whole,
                    },
                };
                self.digests.push(Digest { whole, known });
            }
            if let Some(mut names) = sought.as_mut().and_then(|(paths, sought)| sought.names(paths, false)) {
                // The sink of names takes everything.
                let _ = tree.emit(&mut names);
            }
            self.memory = tree.recycle();
        }
    }
}

impl Run<'_> {
    /// Compares the next messages. Returns false if there are none.
    fn next<'c>(&mut self, left: &mut Cursor<'c>, right: &mut Cursor<'c>) -> Result<bool, Failed> {
        self.step(left, right, [true; 2])
    }

    /// Compares the next message of the sides that `takes` names. Returns false if there is none.
    fn step<'c>(&mut self, left: &mut Cursor<'c>, right: &mut Cursor<'c>, takes: [bool; 2]) -> Result<bool, Failed> {
        let [memory, other_memory] = [std::mem::take(&mut left.memory), std::mem::take(&mut right.memory)];
        let one = match takes[0] {
            true => match read(left.stream, left.walker, memory.recycle()) {
                Ok(tree) => tree,
                Err(error) => return Err(Failed { side: Some(Side::Left), error: left.stream.explain(error) }),
            },
            false => None,
        };
        let other = match takes[1] {
            true => match read(right.stream, right.walker, other_memory.recycle()) {
                Ok(tree) => tree,
                Err(error) => return Err(Failed { side: Some(Side::Right), error: right.stream.explain(error) }),
            },
            false => None,
        };
        let at = |tree: &Option<Tree<'_>>, next: u64| tree.is_some().then_some(next);
        let numbers = [at(&one, left.next), at(&other, right.next)];
        if numbers == [None, None] {
            return Ok(false);
        }
        self.compare(one.as_ref(), other.as_ref(), numbers)?;
        left.next += u64::from(one.is_some());
        right.next += u64::from(other.is_some());
        (left.memory, right.memory) = (one.unwrap_or_default().recycle(), other.unwrap_or_default().recycle());
        Ok(true)
    }

    fn compare(&mut self, one: Option<&Tree<'_>>, other: Option<&Tree<'_>>, [left, right]: [Option<u64>; 2]) -> Result<(), Failed> {
        let mine = |error: Error| Failed { side: None, error };
        let (options, outcome) = (self.options, &mut self.outcome);
        let limit = usize::try_from(options.limit.saturating_sub(outcome.differences)).unwrap_or(usize::MAX);
        let (differences, count, lines) = match (one.and_then(Tree::root), other.and_then(Tree::root)) {
            (Some(one), Some(other)) => {
                let repeats = self.repeats;
                let ignore = self.sought.as_mut().map(|(paths, sought)| Ignore { paths, hits: &mut sought.hits, repeats });
                let mut diff = Diff::new(ignore, limit, options.shown, self.how).listed(options.listing);
                let (found, count) = diff.all(one, other);
                let lines = if count > 0 && limit > 0 { diff.lines(one) } else { None };
                outcome.doubled += diff.doubled;
                self.used.iter_mut().zip(&diff.used).for_each(|(used, now)| *used |= now);
                (found, count, lines)
            }
            (one, other) => {
                let lines = match (one, other) {
                    (Some(one), _) => alone(one, Mark::Left, options.shown),
                    (None, Some(other)) => alone(other, Mark::Right, options.shown),
                    (None, None) => Vec::new(),
                };
                let lines = (options.listing && limit > 0).then_some(lines);
                (Vec::from([difference(Path::default(), one, other, options.shown)]), 1, lines)
            }
        };
        for side in [one, other].into_iter().flatten() {
            if let Some(mut names) = self.sought.as_mut().and_then(|(paths, sought)| sought.names(paths, false)) {
                side.emit(&mut names).map_err(mine)?;
            }
        }
        outcome.compared += 1;
        outcome.differing += u64::from(count > 0);
        outcome.differences += count;
        outcome.left += u64::from(left.is_some());
        outcome.right += u64::from(right.is_some());
        if options.listing {
            outcome.unlisted += if limit == 0 { count } else { 0 };
            return match lines {
                Some(lines) => (self.found)(&Found { left, right, what: What::Listing(lines) }).map_err(mine),
                None => Ok(()),
            };
        }
        for difference in differences.into_iter().take(limit) {
            (self.found)(&Found { left, right, what: What::Difference(difference) }).map_err(mine)?;
        }
        Ok(())
    }

    /// Compares the streams along an alignment of their digests, window by window.
    fn aligned<'c>(
        &mut self,
        leads: [Lead<'c>; 2],
        digester: &Digester,
        left: &mut Cursor<'c>,
        right: &mut Cursor<'c>,
    ) -> Result<(), Failed> {
        let [mut one, mut other] = leads;
        loop {
            one.fill(WINDOW, digester, &mut self.sought, None, &mut false);
            // Messages beside one that cannot be read have nothing to be compared with.
            let most = if one.failed.is_some() { one.digests.len() } else { WINDOW };
            other.fill(most, digester, &mut self.sought, None, &mut false);
            if one.failed.is_some() || other.failed.is_some() {
                (one.done, other.done) = (true, true);
            }
            let is_last = one.done && other.done;
            let hunks = align(one.digests.iter().map(|digest| digest.whole), other.digests.iter().map(|digest| digest.whole));
            let lens = [one.digests.len(), other.digests.len()];
            let mut until = lens;
            if let Some(tail) = hunks.last().filter(|tail| !is_last && [tail.left.end, tail.right.end] == lens) {
                let may_go_on = !(one.done && tail.left.is_empty() || other.done && tail.right.is_empty());
                let starts = [tail.left.start, tail.right.start];
                let is_long = tail.left.len().max(tail.right.len()) > WINDOW / 2;
                if may_go_on && (starts == [0, 0] || is_long) {
                    // It never fits a window: half of it goes as it stands.
                    self.outcome.unaligned |= !tail.left.is_empty() && !tail.right.is_empty();
                    let half = |range: &std::ops::Range<usize>| range.start + range.len().div_ceil(2);
                    until = [half(&tail.left), half(&tail.right)];
                } else if may_go_on {
                    until = starts;
                }
            }
            let cut = |hunk: &Hunk| Hunk {
                left: hunk.left.start..hunk.left.end.min(until[0]),
                right: hunk.right.start..hunk.right.end.min(until[1]),
            };
            let mut at = [0, 0];
            for hunk in hunks.iter().filter(|hunk| hunk.left.start <= until[0] && hunk.right.start <= until[1]) {
                let mut hunk = cut(hunk);
                self.equal(hunk.left.start - at[0], left, right)?;
                at = [hunk.left.end, hunk.right.end];
                if is_last && at == lens {
                    // A message beside one that cannot be read is no difference.
                    let most = |failed: bool, len: usize| if failed { len } else { usize::MAX };
                    let (of_right, of_left) = (most(other.failed.is_some(), hunk.right.len()), most(one.failed.is_some(), hunk.left.len()));
                    hunk.left.end = hunk.left.start + hunk.left.len().min(of_right);
                    hunk.right.end = hunk.right.start + hunk.right.len().min(of_left);
                }
                let mut pairs = Vec::new();
                pair(
                    &hunk,
                    |at| one.digests[at].known,
                    |at| other.digests[at].known,
                    |one, other| {
                        pairs.push([one.is_some(), other.is_some()]);
                    },
                );
                for takes in pairs {
                    self.step(left, right, takes)?;
                }
            }
            self.equal(until[0] - at[0].min(until[0]), left, right)?;
            one.digests.drain(..until[0]);
            other.digests.drain(..until[1]);
            if is_last {
                break;
            }
        }
        match one.failed.or(other.failed) {
            Some(failed) => Err(failed),
            None => Ok(()),
        }
    }

    /// Compares messages whose digests are equal.
    fn equal<'c>(&mut self, count: usize, left: &mut Cursor<'c>, right: &mut Cursor<'c>) -> Result<(), Failed> {
        for _ in 0..count {
            self.step(left, right, [true; 2])?;
        }
        Ok(())
    }

    /// Compares messages with the same key, wherever they stand in their streams.
    fn by_key<'c>(
        &mut self,
        key: usize,
        leads: [Lead<'c>; 2],
        digester: &Digester,
        left: &mut Cursor<'c>,
        right: &mut Cursor<'c>,
    ) -> Result<(), Failed> {
        let [mut one, mut other] = leads;
        let how = self.how;
        for lead in [&mut one, &mut other] {
            lead.fill(usize::MAX, digester, &mut self.sought, Some(&how.keys[key]), &mut self.used[key]);
        }
        let known = |lead: &Lead<'_>| lead.digests.iter().map(|digest| digest.known).collect::<Vec<u64>>();
        let found = matched(&known(&one), &known(&other));
        self.outcome.doubled += found.doubled;
        let failed = [one.failed.take(), other.failed.take()];
        let is_there = failed.each_ref().map(Option::is_none);
        let is_equal = |pair: &(Option<usize>, Option<usize>)| match pair {
            (Some(left), Some(right)) => self.how.tolerance.is_exact() && one.digests[*left].whole == other.digests[*right].whole,
            // Its counterpart may follow a message that cannot be read.
            (Some(_), None) => !is_there[1],
            (None, _) => !is_there[0],
        };
        let compared = found.pairs.len() as u64;
        let steps: Vec<(Option<usize>, Option<usize>)> = found.pairs.into_iter().filter(|pair| !is_equal(pair)).collect();
        let counts = [one.digests.len() as u64, other.digests.len() as u64];
        let needed = [
            steps.iter().filter_map(|step| step.0).collect::<HashSet<usize>>(),
            steps.iter().filter_map(|step| step.1).collect::<HashSet<usize>>(),
        ];
        let mut kept = [HashMap::<usize, Tree<'static>>::new(), HashMap::new()];
        for (one, other) in steps {
            let mut trees = [None, None];
            for (side, (at, cursor)) in [(one, &mut *left), (other, &mut *right)].into_iter().enumerate() {
                let Some(at) = at else { continue };
                while cursor.next <= at as u64 {
                    let here = cursor.next as usize;
                    if let Some(tree) = cursor.pass(needed[side].contains(&here))?
                        && needed[side].contains(&here)
                    {
                        kept[side].insert(here, tree);
                    }
                }
                trees[side] = kept[side].remove(&at);
            }
            let number = |at: Option<usize>| at.map(|at| at as u64);
            self.compare(trees[0].as_ref(), trees[1].as_ref(), [number(one), number(other)])?;
        }
        for (cursor, count) in [(left, counts[0]), (right, counts[1])] {
            while cursor.next < count {
                cursor.pass(false)?;
            }
        }
        (self.outcome.left, self.outcome.right, self.outcome.compared) = (counts[0], counts[1], compared);
        match failed {
            [Some(failed), _] | [None, Some(failed)] => Err(failed),
            [None, None] => Ok(()),
        }
    }

    fn end(mut self) -> Outcome {
        self.outcome.unmatched = self.sought.take().map(|(paths, sought)| sought.missed(paths, false)).unwrap_or_default();
        let keys = self.how.keys.iter().zip(&self.used);
        self.outcome.unused_keys = keys.filter(|(_, used)| !**used).map(|(key, _)| key.text().to_string()).collect();
        self.outcome
    }
}

/// A sink that copies a message into a tree of its own.
struct Copied(Tree<'static>);

impl<'m> Sink<'m> for Copied {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.0.field(Field { name: Str::Scratch(field.name.get()), id: field.id, slot: field.slot }, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let value = match value {
            Scalar::Text(text) => Scalar::Text(Str::Scratch(text.get())),
            Scalar::Bytes(bytes) => Scalar::Bytes(Str::Scratch(bytes.get())),
            Scalar::Octets(bytes) => Scalar::Octets(Str::Scratch(bytes.get())),
            Scalar::Big(text, hint) => Scalar::Big(Str::Scratch(text.get()), hint),
            Scalar::Decimal(text, hint) => Scalar::Decimal(Str::Scratch(text.get()), hint),
            Scalar::Null => Scalar::Null,
            Scalar::Bool(value) => Scalar::Bool(value),
            Scalar::Int(value, hint) => Scalar::Int(value, hint),
            Scalar::UInt(value, hint) => Scalar::UInt(value, hint),
            Scalar::F32(value, hint) => Scalar::F32(value, hint),
            Scalar::F64(value, hint) => Scalar::F64(value, hint),
            Scalar::Time(moment) => Scalar::Time(moment),
        };
        self.0.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}

/// A tree that asks for fields of one name as one list.
struct Grouped<'m>(Tree<'m>);

impl<'m> Forward<'m> for Grouped<'m> {
    type To = Tree<'m>;

    fn to(&mut self) -> &mut Tree<'m> {
        &mut self.0
    }

    fn needs(&self) -> Needs {
        // Messages that differ in what a schema does not explain are not equal.
        Needs::GROUPED | Needs::GUESSES
    }

    /// Comments and white space are no part of the value.
    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}
