//! Helpers of the tests of all formats: random values, mutated bytes, and the bodies of the fuzz
//! targets.
//!
//! For tests and fuzz targets only. Random values are a function of their seed.
#![forbid(unsafe_code)]

mod document;
pub mod vectors;

use std::io::{self, Read};

use polywire_core::format::Format;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::diff::differences;
use polywire_core::tools::inspect;
use polywire_core::tools::{Count, Stream};
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::walk::EntryPath;
use polywire_core::{Budget, Error, ErrorKind, Fault, Field, Frame, Len, Limits, Next, Open, Part, Scalar, Sink, Span, Timestamp};

pub use document::{fuzz_conventions, fuzz_document};
pub use fastrand::Rng;

/// Bounds of random values.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// True if values occur that JSON has no syntax for.
    pub exotic: bool,
    /// Deepest nesting of containers.
    pub depth: u32,
    /// Most entries of a container.
    pub width: usize,
}

impl Shape {
    /// Values that JSON can hold.
    pub const PLAIN: Shape = Shape { exotic: false, depth: 4, width: 5 };
    /// Values of every kind of the model.
    pub const ANY: Shape = Shape { exotic: true, depth: 4, width: 5 };
}

/// Returns a random value. Whole and fractional numbers are in their one spelling; names within a
/// record differ.
pub fn value(rng: &mut Rng, shape: Shape) -> Value {
    if shape.depth == 0 || rng.u8(..10) < 4 {
        return scalar(rng, shape.exotic);
    }
    let inner = Shape { depth: shape.depth - 1, ..shape };
    let count = rng.usize(..=shape.width);
    let kinds = if shape.exotic { 7 } else { 3 };
    match rng.u8(..kinds) {
        0 => Value::List((0..count).map(|_| value(rng, inner)).collect()),
        1 | 2 => {
            Value::Record { name: String::new(), fields: names(rng, count).into_iter().map(|name| (name, value(rng, inner))).collect() }
        }
        3 => Value::Tuple((0..count).map(|_| value(rng, inner)).collect()),
        4 => {
            let mut pairs: Vec<(Value, Value)> = names(rng, count).into_iter().map(|name| (Value::Text(name), value(rng, inner))).collect();
            pairs.extend((0..rng.u64(..3)).map(|n| (Value::UInt(n), value(rng, inner))));
            Value::Map(pairs)
        }
        5 => Value::Variant { name: name(rng), index: rng.u32(..4), values: (0..count.min(3)).map(|_| value(rng, inner)).collect() },
        _ => Value::Record { name: name(rng), fields: names(rng, count).into_iter().map(|name| (name, value(rng, inner))).collect() },
    }
}

/// Returns a random scalar. `exotic` allows those that JSON has no syntax for.
pub fn scalar(rng: &mut Rng, exotic: bool) -> Value {
    match rng.u8(..if exotic { 14 } else { 9 }) {
        0 => Value::Null,
        1 => Value::Bool(rng.bool()),
        2 => Value::UInt(edge(rng)),
        3 => negated_at_times(Value::int((edge(rng) >> 1) as i64), rng),
        4 => Value::F64(float(rng)),
        5 | 6 => Value::Text(text(rng)),
        7 => Value::Text(word(rng)),
        8 => Value::Big(format!(
            "{}{}",
            if rng.bool() { "-" } else { "" },
            (0..rng.usize(21..40)).map(|_| (b'1' + rng.u8(..9)) as char).collect::<String>()
        )),
        9 => Value::F32(float(rng) as f32),
        10 => Value::Bytes((0..rng.usize(..40)).map(|_| rng.u8(..)).collect()),
        11 => Value::Octets((0..rng.usize(1..10)).map(|_| rng.u8(128..=255)).chain([0xff]).collect()),
        12 => Value::Time(
            Timestamp::new(rng.i64(-60_000_000_000..250_000_000_000), rng.u32(..1_000_000_000) * u32::from(rng.bool()))
                .unwrap_or_else(epoch),
        ),
        _ => Value::Decimal(format!("0.{}1", (0..30).map(|_| (b'0' + rng.u8(..10)) as char).collect::<String>())),
    }
}

fn epoch() -> Timestamp {
    Timestamp::new(0, 0).expect("zero nanoseconds are below a second")
}

/// Returns the number, negated half of the time.
fn negated_at_times(value: Value, rng: &mut Rng) -> Value {
    match value {
        Value::UInt(number) if rng.bool() => Value::int((number as i64).wrapping_neg()),
        other => other,
    }
}

/// Returns a random number, often near a power of two.
fn edge(rng: &mut Rng) -> u64 {
    let near = 1u64.checked_shl(rng.u32(..65)).unwrap_or(0);
    if rng.bool() { near.wrapping_add(rng.u64(..3)).wrapping_sub(1) } else { rng.u64(..) >> rng.u32(..64) }
}

fn float(rng: &mut Rng) -> f64 {
    match rng.u8(..5) {
        0 => f64::from(rng.i32(-1000..1000)) / 100.0,
        1 => rng.f64(),
        2 => [0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e300, -1.5e-7][rng.usize(..8)],
        _ => Some(f64::from_bits(rng.u64(..))).filter(|value| value.is_finite()).unwrap_or(2.5),
    }
}

fn text(rng: &mut Rng) -> String {
    let odd = [
        "\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1f}", "<", "&", "]]>", " ", "ä", "日本", "🦀", "\u{2028}", "'", "\u{feff}", "1", "true",
    ];
    (0..rng.usize(..8)).map(|_| if rng.bool() { word(rng) } else { odd[rng.usize(..odd.len())].to_string() }).collect()
}

fn word(rng: &mut Rng) -> String {
    (0..rng.usize(1..12)).map(|_| rng.lowercase()).collect()
}

fn name(rng: &mut Rng) -> String {
    match rng.u8(..8) {
        0 => text(rng),
        1 => format!("@{}", word(rng)),
        2 => ["#text", "", "pw:t", "xmlns", "a b", "1x", "ns:tag", "-"][rng.usize(..8)].to_string(),
        _ => word(rng),
    }
}

fn names(rng: &mut Rng, count: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for _ in 0..count {
        let name = name(rng);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns `bytes` with one to three mutations: a flipped bit, a changed, inserted or removed byte,
/// a cut, or a piece repeated.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..rng.u8(1..4) {
        let at = rng.usize(..=out.len().saturating_sub(1));
        match rng.u8(..6) {
            _ if out.is_empty() => out.push(rng.u8(..)),
            0 => out[at] ^= 1 << rng.u8(..8),
            1 => out[at] = rng.u8(..),
            2 => out.insert(at, rng.u8(..)),
            3 => {
                out.remove(at);
            }
            4 => out.truncate(at),
            _ => {
                let piece = out[at..(at + rng.usize(..16)).min(out.len())].to_vec();
                let to = rng.usize(..=out.len());
                out.splice(to..to, piece);
            }
        }
    }
    out
}

/// Returns the bytes of `value` in `format`.
///
/// # Errors
/// The format cannot be written, or not with this value.
pub fn write(format: &'static Format, value: &Value) -> Result<Vec<u8>, Error> {
    let mut writer = writer(format)?;
    value.emit(&mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok(out)
}

fn writer(format: &'static Format) -> Result<Box<dyn polywire_core::Writer>, Error> {
    let make = format
        .writer
        .ok_or_else(|| Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format.name).expected("a format that can be written"))?;
    Ok(make())
}

/// Reads the one message in `bytes`. Duplicate keys are kept.
///
/// # Errors
/// Those of the reader.
pub fn read<'m>(format: &'static Format, bytes: &'m [u8]) -> Result<Tree<'m>, Error> {
    let mut tree = Tree::new();
    Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep).walk(bytes, 0, &mut tree)?;
    Ok(tree)
}

/// Returns the value of the one message in `bytes`.
///
/// # Errors
/// Those of the reader.
pub fn value_of(format: &'static Format, bytes: &[u8]) -> Result<Value, Error> {
    read(format, bytes).map(|tree| Value::from(tree.root().expect("a message is a value")))
}

/// Returns the error of reading `bytes`.
///
/// # Panics
/// The bytes are valid.
pub fn failure(format: &'static Format, bytes: &[u8]) -> Error {
    Walker::new(format, &Limits::DEFAULT).walk(bytes, 0, &mut Count::default()).expect_err("bytes that are wrong")
}

/// Writes the value in `format`. Returns the bytes and the kinds of loss, one entry per place.
///
/// # Panics
/// The value cannot be written.
pub fn written(format: &'static Format, value: &Value) -> (Vec<u8>, Vec<&'static str>) {
    let mut writer = format.writer.expect("a format that can be written")();
    let mut out = Vec::new();
    value.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap_or_else(|error| panic!("{value:?} is not written: {error}"));
    (out, writer.losses().into_iter().map(|lost| lost.what).collect())
}

/// Checks that two values are equal in the sense of [`differences`].
///
/// # Panics
/// The values differ; the panic shows where.
pub fn assert_same(left: &Value, right: &Value, what: &str) {
    let (mut one, mut other) = (Tree::new(), Tree::new());
    left.emit(&mut one).expect("a tree takes any value");
    right.emit(&mut other).expect("a tree takes any value");
    let found = differences(one.root().expect("a value"), other.root().expect("a value"), 3);
    assert!(found.is_empty(), "{what}: {found:?} in {left:?}");
}

/// Checks that each of `values` comes back from `format` as `kept` returns it, and that the writer
/// reports a loss if and only if `kept` sets its flag for a changed value.
///
/// # Panics
/// A check fails; the panic shows the value.
pub fn comes_back(format: &'static Format, values: impl Iterator<Item = Value>, kept: impl Fn(&Value, &mut bool) -> Value) {
    for value in values {
        let mut changed = false;
        let expected = kept(&value, &mut changed);
        let (bytes, losses) = written(format, &value);
        assert_eq!(!losses.is_empty(), changed, "{losses:?} of {value:?}");
        let back = value_of(format, &bytes).unwrap_or_else(|error| panic!("{error} in {}", bytes.escape_ascii()));
        assert_same(&expected, &back, "read back");
        assert_eq!(written(format, &back).0, bytes, "{back:?}");
        round_trip(format, &expected);
    }
}

/// Checks that a writer fills in counts that it learns late, with a map of `count` lists. The nth
/// list has n values.
///
/// # Panics
/// Another value comes back.
pub fn late_counts(format: &'static Format, count: u64) {
    let at = Span::NONE;
    let mut writer = format.writer.expect("a format that can be written")();
    let mut write = || -> Result<Vec<u8>, Error> {
        writer.open(Open::Map(Len::Unknown), at)?;
        for n in 0..count {
            writer.scalar(Scalar::uint(n), at)?;
            writer.open(Open::List(Len::Unknown), at)?;
            (0..n).try_for_each(|_| writer.scalar(Scalar::Null, at))?;
            writer.close(at)?;
        }
        writer.close(at)?;
        let mut out = Vec::new();
        writer.finish(&mut out)?;
        Ok(out)
    };
    let out = write().expect("a map of lists");
    let expected = (0..count).map(|n| (Value::UInt(n), Value::List(vec![Value::Null; n as usize]))).collect();
    assert_eq!(value_of(format, &out).expect("a map"), Value::Map(expected));
}

/// Checks that a value comes back from `format` unchanged.
///
/// # Panics
/// It changes; the panic shows the value, the bytes and the differences.
pub fn round_trip(format: &'static Format, value: &Value) {
    let bytes = write(format, value).unwrap_or_else(|error| panic!("{value:?} is not written: {error}"));
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let mut before = Tree::new();
    value.emit(&mut before).expect("a tree takes any value");
    let after = read(format, &bytes).unwrap_or_else(|error| panic!("{value:?} became {shown}: {error}"));
    let found = differences(before.root().expect("a value"), after.root().expect("a value"), 3);
    assert!(found.is_empty(), "{value:?} became {shown}: {found:?}");
}

/// Runs the bodies of a reader's fuzz target: walk, framing with the stream cut at `cut`, skipping,
/// writing, inspection.
pub fn fuzz_reader(format: &'static Format, bytes: &[u8], cut: usize) {
    fuzz_walk(format, bytes);
    fuzz_frames(format, bytes, cut);
    fuzz_skip(format, bytes);
    fuzz_rewrite(format, bytes);
    fuzz_inspect(format, bytes);
}

/// Checks, as the body of a fuzz target, that no bytes make a reader panic or loop, and that every
/// span lies in the message.
///
/// # Panics
/// The reader breaks a promise.
pub fn fuzz_walk(format: &'static Format, bytes: &[u8]) {
    let limits = Limits::DEFAULT.with_decoded(1 << 20);
    let mut walker = Walker::new(format, &limits);
    let mut checker = Checker { end: bytes.len() as u64, ..Checker::default() };
    match walker.walk(bytes, 0, &mut checker) {
        Ok(()) => assert!(
            checker.depth == 0 && checker.values == 1,
            "{}: a walk without an error must report one value, reported {checker:?}",
            format.name
        ),
        Err(error) => {
            let offset = error.offset().unwrap_or_else(|| panic!("{}: no offset in {error}", format.name));
            assert!(offset <= bytes.len() as u64, "{}: offset {offset} of {} in {error}", format.name, bytes.len());
            assert!(error.path().is_some(), "{}: no path in {error}", format.name);
            assert!(error.fault() != Fault::Us, "{}: {error}", format.name);
        }
    }
}

/// Checks, as the body of a fuzz target, that the rows of an inspection cover every byte exactly
/// once, in order.
///
/// # Panics
/// A byte is missing or shown twice, or a row shows control characters.
pub fn fuzz_inspect(format: &'static Format, bytes: &[u8]) {
    let mut told = 0;
    let options = inspect::Options { shown: 40, limits: Limits::DEFAULT.with_decoded(1 << 20), ..inspect::Options::default() };
    let outcome = inspect::inspect(format, bytes, &options, &mut |row| {
        assert_eq!(row.bytes.start, told, "{}: {row:?}", format.name);
        assert_eq!(row.raw, &bytes[row.bytes.start as usize..row.bytes.end as usize]);
        assert!(!row.value.chars().any(char::is_control), "{}: {row:?}", format.name);
        told = row.bytes.end;
        Ok(())
    });
    assert!(outcome.is_ok(), "{}: {outcome:?}", format.name);
    assert_eq!(told, bytes.len() as u64, "{}: bytes are left out at the end", format.name);
}

/// Checks, as the body of a fuzz target, that a stream has the same messages if it arrives in two
/// pieces, cut at `cut`.
///
/// # Panics
/// The messages differ, or [`frames`] panics.
pub fn fuzz_frames(format: &'static Format, bytes: &[u8], cut: usize) {
    let whole = frames(format, bytes, &[bytes.len()]);
    let cut = cut.min(bytes.len());
    assert_eq!(whole, frames(format, bytes, &[cut, bytes.len()]), "{}: cut at {cut}", format.name);
}

/// Checks, as the body of a fuzz target, that the entries of documents are the same if they arrive
/// in pieces of `piece` bytes, and that each of them is walked without a panic.
///
/// # Panics
/// The entries differ.
pub fn fuzz_entries(format: &'static Format, bytes: &[u8], piece: usize) {
    for path in [".", "*", "*.*", "items[]"] {
        let at_once = entries(format, bytes, path, bytes.len().max(1));
        assert_eq!(at_once, entries(format, bytes, path, piece.max(1)), "{}: `{path}` by {piece}", format.name);
    }
}

/// Returns the entries of documents that arrive in pieces, and the kind of the error that ended
/// them.
fn entries(format: &'static Format, bytes: &[u8], path: &str, piece: usize) -> (Vec<Vec<u8>>, Option<ErrorKind>) {
    let Ok(path) = EntryPath::parse(path) else { return (Vec::new(), None) };
    let mut walker = Walker::new(format, &Limits::DEFAULT).each(Some(path));
    let mut stream = Stream::new(Pieces { bytes, piece });
    let mut found = Vec::new();
    loop {
        match stream.next(&mut walker) {
            Ok(Some(message)) => {
                // A malformed entry is reported when it is walked.
                let _ = walker.walk(message.bytes, message.base, &mut Count::default());
                found.push(message.bytes.to_vec());
            }
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error.kind())),
        }
    }
}

/// A reader that yields few bytes at a time.
struct Pieces<'b> {
    bytes: &'b [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let (piece, rest) = self.bytes.split_at(self.piece.min(self.bytes.len()).min(buf.len()));
        buf[..piece.len()].copy_from_slice(piece);
        self.bytes = rest;
        Ok(piece.len())
    }
}

/// Checks that a stream of `messages` without separators is framed into them: at once, cut in two
/// at each byte, and byte by byte.
///
/// # Panics
/// Other messages are found.
pub fn fuzz_cuts(format: &'static Format, messages: &[Vec<u8>]) {
    let stream = messages.concat();
    let mut start = 0;
    let place = |message: &Vec<u8>| {
        start += message.len();
        Some((start - message.len(), start))
    };
    let places: Vec<_> = messages.iter().map(place).collect();
    assert_eq!(frames(format, &stream, &[stream.len()]), places, "{}", format.name);
    let each_byte: Vec<usize> = (0..=stream.len()).collect();
    assert_eq!(frames(format, &stream, &each_byte), places, "{}", format.name);
    for cut in 0..stream.len() {
        fuzz_frames(format, &stream, cut);
    }
}

/// Returns the places of the messages of a stream that arrives in pieces, which end at `ends`. The
/// last is `None` if framing failed.
///
/// # Panics
/// The reader breaks a promise of [`Reader::frame`](polywire_core::Reader::frame).
pub fn frames(format: &'static Format, bytes: &[u8], ends: &[usize]) -> Vec<Option<(usize, usize)>> {
    let mut reader = (format.reader)();
    let mut found = Vec::new();
    let mut start = 0;
    let mut piece = 0;
    loop {
        let end = ends[piece];
        let eof = piece + 1 == ends.len();
        match reader.frame(&bytes[start..end], start as u64, eof) {
            Ok(Frame::Message { start: from, end: to }) => {
                assert!(from <= to && to > 0 && to <= end - start, "{}: a message at {from}..{to} of {}", format.name, end - start);
                found.push(Some((start + from, start + to)));
                start += to;
            }
            Ok(Frame::Between(bytes)) => {
                assert!(bytes > 0 && bytes <= end - start, "{}: {bytes} bytes between messages of {}", format.name, end - start);
                start += bytes;
            }
            Ok(Frame::More(more)) => {
                assert!(!eof && more > 0, "{}: {more} more bytes wanted, end of stream: {eof}", format.name);
                piece += 1;
            }
            Ok(Frame::End) => {
                assert!(eof, "{}: the end before the end", format.name);
                return found;
            }
            Err(_) => {
                found.push(None);
                return found;
            }
        }
    }
}

/// Checks, as the body of a fuzz target, that a message that can be read and written without loss
/// of a value is the same when it is read again.
///
/// # Panics
/// It differs, or cannot be written or read again.
pub fn fuzz_rewrite(format: &'static Format, bytes: &[u8]) {
    let Ok(tree) = read(format, bytes) else { return };
    let Ok(mut writer) = writer(format) else { return };
    let mut out = Vec::new();
    tree.emit(&mut *writer)
        .and_then(|()| writer.finish(&mut out))
        .unwrap_or_else(|error| panic!("{}: what was read is not written: {error}", format.name));
    let losses = writer.losses();
    let mut whole = Vec::new();
    let written = writer.tree(&tree).and_then(|()| writer.finish(&mut whole));
    assert!(written.is_ok() && whole == out && writer.losses() == losses, "{}: the tree is written otherwise than its events", format.name);
    if losses.iter().any(|lost| lost.is_value()) {
        return;
    }
    let again = read(format, &out).unwrap_or_else(|error| panic!("{}: what was written is not read: {error}", format.name));
    let found = differences(tree.root().expect("a value"), again.root().expect("a value"), 3);
    assert!(found.is_empty(), "{}: {found:?} after {}", format.name, String::from_utf8_lossy(&out));
}

/// Checks that events are well formed and lie in the message.
#[derive(Debug, Default)]
struct Checker {
    end: u64,
    depth: usize,
    values: u64,
    in_part: bool,
}

impl Checker {
    fn inside(&self, at: Span) {
        assert!(at.start <= at.end && at.end <= self.end, "a span {at:?} beyond {}", self.end);
    }

    fn value(&mut self) {
        self.values += u64::from(self.depth == 0);
        assert!(self.values <= 1, "two values in one message");
    }
}

impl<'m> Sink<'m> for Checker {
    fn open(&mut self, _: Open<'_>, at: Span) -> Result<Next, Error> {
        self.inside(at);
        self.value();
        self.depth += 1;
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, at: Span) -> Result<Next, Error> {
        self.inside(at);
        assert!(self.depth > 0, "a field outside of all records");
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<(), Error> {
        self.inside(at);
        self.value();
        match value {
            Scalar::Int(number, _) => assert!(number < 0, "{number} as a negative number"),
            Scalar::Big(digits, _) => {
                assert!(digits.get().parse::<i64>().is_err() && digits.get().parse::<u64>().is_err(), "{value:?} is not big");
            }
            _ => {}
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<(), Error> {
        self.inside(at);
        if !self.in_part {
            self.value();
        }
        self.in_part = !part.last;
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<(), Error> {
        self.inside(at);
        assert!(self.depth > 0, "a close without its open");
        self.depth -= 1;
        Ok(())
    }
}

/// Checks, as the body of a fuzz target, that a message that can be walked can also be walked with
/// skips: at one depth, of all containers and of fields with names of even length.
///
/// # Panics
/// A walk with skips fails, or an event of the first walk breaks a rule.
pub fn fuzz_skip(format: &'static Format, bytes: &[u8]) {
    let mut checker = Checker { end: bytes.len() as u64, ..Checker::default() };
    let walked = (format.reader)().walk(bytes, 0, &mut checker, &mut Budget::new(&Limits::DEFAULT));
    if walked.is_ok() {
        for depth in 0..3 {
            let skipped = (format.reader)().walk(bytes, 0, &mut Skipper { depth, at: 0 }, &mut Budget::new(&Limits::DEFAULT));
            assert!(skipped.is_ok(), "{}: skipping at depth {depth}: {:?}", format.name, skipped.err());
        }
    }
}

struct Skipper {
    depth: usize,
    at: usize,
}

impl<'m> Sink<'m> for Skipper {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next, Error> {
        if self.at == self.depth {
            return Ok(Next::Skip);
        }
        self.at += 1;
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next, Error> {
        Ok(if self.at == self.depth && field.name.get().len().is_multiple_of(2) { Next::Skip } else { Next::Enter })
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<(), Error> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<(), Error> {
        self.at = self.at.checked_sub(1).expect("a close without its open");
        Ok(())
    }
}
