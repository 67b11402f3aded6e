//! A new format is one folder and one line: the toy of `toy/` converts to and from every other
//! format, and no other file knows about it.

mod toy;

use std::io::Cursor;
use std::path::Path;

use polywire_core::format::{Confidence, Dialect, Format};
use polywire_core::tools::Count;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::{Conversion, convert};
use polywire_core::tools::inspect::{Options, What, inspect};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Limits, LossKind};
use polywire_formats::registry::{self, FORMATS};
use polywire_schema::infer::Inference;
use polywire_testing::{self as testing, Rng, Shape};

/// The registry of the house, and one line.
fn registry() -> Vec<&'static Format> {
    let mut formats = FORMATS.to_vec();
    formats.push(&toy::FORMAT);
    formats
}

/// The formats beside the toy that are read and written without a schema.
fn others() -> impl Iterator<Item = &'static Format> {
    registry().into_iter().filter(|format| format.writer.is_some() && format.name != toy::NAME)
}

fn marked(code: u64, value: Value) -> Value {
    Value::Tagged { space: toy::NAME.into(), code, value: Box::new(value) }
}

/// A table of one row, which every format holds.
fn row() -> Value {
    Value::record([("city", Value::text("Zurich")), ("note", Value::text("by the lake"))])
}

/// Returns the same table for a format whose fields have numbers, or whose messages have an
/// envelope, and [`row`] for others.
fn row_for(format: &Format) -> Value {
    match format.name {
        "thrift-binary" | "thrift-compact" | "thrift-json" => {
            Value::record([("1", Value::text("Zurich")), ("2", Value::text("by the lake"))])
        }
        "amf-packet" => {
            let message = Value::record([("target", Value::text("a")), ("response", Value::text("b")), ("body", row())]);
            let messages = ("messages", Value::List(vec![message]));
            Value::record([("version", Value::UInt(0)), ("headers", Value::List(vec![])), messages])
        }
        "sol" => Value::record([("name", Value::text("a")), ("version", Value::UInt(3)), ("data", row())]),
        _ => row(),
    }
}

/// A random value that the toy holds.
fn held(rng: &mut Rng, depth: u32) -> Value {
    if depth == 0 || rng.u8(..4) == 0 {
        return match rng.u8(..5) {
            0 => Value::Bytes((0..rng.usize(..20)).map(|_| rng.u8(..)).collect()),
            _ => loop {
                let value = testing::scalar(rng, false);
                if !matches!(value, Value::Big(_)) {
                    return value;
                }
            },
        };
    }
    let count = rng.u64(..4);
    match rng.u8(..4) {
        0 => Value::List((0..count).map(|_| held(rng, depth - 1)).collect()),
        1 => Value::record((0..count).map(|n| (format!("field{n}"), held(rng, depth - 1)))),
        2 => {
            let key = |n: u64| if n.is_multiple_of(2) { Value::text(format!("key {n}")) } else { Value::UInt(n) };
            Value::Map((0..count).map(|n| (key(n), held(rng, depth - 1))).collect())
        }
        _ => marked(rng.u64(..), held(rng, depth - 1)),
    }
}

fn converted(from: &Dialect, bytes: &[u8], to: &Dialect) -> Result<(Vec<u8>, Conversion), Error> {
    let mut walker = Walker::new(from.clone(), &Limits::DEFAULT).doubles(Doubles::Keep);
    let mut out = Vec::new();
    convert(&mut Stream::new(Cursor::new(bytes)), &mut out, &mut walker, to.clone()).map(|done| (out, done))
}

/// The outcome of a message that goes to another format and back.
#[derive(Debug, PartialEq)]
enum Outcome {
    Same,
    /// The losses that the conversions reported, by path.
    Lost(Vec<String>),
    Refused,
}

/// Converts `bytes` of `from` to `to` and back.
///
/// # Panics
/// If the message is another one afterwards and no conversion reports it, or if a conversion fails
/// by our fault.
fn there_and_back(from: &Dialect, bytes: &[u8], to: &Dialect) -> Outcome {
    let about = format!("{from:?} to {to:?}: {}", bytes.escape_ascii());
    let refused = |error: Error| {
        assert!(error.fault() != Fault::Us, "{about}: {error}");
        Outcome::Refused
    };
    let (there, done) = match converted(from, bytes, to) {
        Ok(done) => done,
        Err(error) => return refused(error),
    };
    let (back, again) = match converted(to, &there, from) {
        Ok(done) => done,
        Err(error) if !done.losses.is_empty() => return refused(error),
        Err(error) => panic!("{about}: written as {}, and not read: {error}", there.escape_ascii()),
    };
    assert_eq!((done.messages, again.messages), (1, 1), "{about}");
    let losses: Vec<String> = done.losses.iter().chain(again.losses.iter()).map(|loss| format!("{}: {}", loss.path, loss.what)).collect();
    if losses.is_empty() {
        let value = |bytes| testing::value_of(from.format(), bytes).unwrap_or_else(|error| panic!("{about}: {error}"));
        testing::assert_same(&value(bytes), &value(&back), &about);
        return Outcome::Same;
    }
    Outcome::Lost(losses)
}

fn toy_bytes(value: &Value) -> Vec<u8> {
    testing::write(&toy::FORMAT, value).expect("the toy writes any value")
}

#[test]
fn the_toy_holds_what_it_says() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..2000 {
        let value = held(&mut rng, 4);
        assert_eq!(testing::written(&toy::FORMAT, &value).1, [""; 0], "{value:?}");
        testing::round_trip(&toy::FORMAT, &value);
        // Values that it does not hold become others that it holds, with a report.
        let value = testing::value(&mut rng, Shape::ANY);
        let (bytes, losses) = testing::written(&toy::FORMAT, &value);
        let back = testing::value_of(&toy::FORMAT, &bytes).expect("toy bytes");
        testing::round_trip(&toy::FORMAT, &back);
        if losses.is_empty() {
            testing::assert_same(&value, &back, "without a loss");
        }
    }
    testing::late_counts(&toy::FORMAT, 300);
}

#[test]
fn the_toy_goes_to_every_format_and_back() {
    let toy = Dialect::from(&toy::FORMAT);
    for format in others() {
        let mut rng = Rng::with_seed(2);
        let mut same = 0;
        for _ in 0..200 {
            let bytes = toy_bytes(&held(&mut rng, 3));
            same += u32::from(there_and_back(&toy, &bytes, &format.into()) == Outcome::Same);
        }
        same += u32::from(there_and_back(&toy, &toy_bytes(&row_for(format)), &format.into()) == Outcome::Same);
        assert!(same > 0, "{}: nothing comes back", format.name);
    }
}

#[test]
fn every_format_goes_to_the_toy_and_back() {
    let toy = Dialect::from(&toy::FORMAT);
    for format in others() {
        let mut rng = Rng::with_seed(3);
        let mut same = 0;
        for n in 0..200 {
            let value = if n == 0 { row_for(format) } else { testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY }) };
            let Ok(bytes) = testing::write(format, &value) else { continue };
            same += u32::from(there_and_back(&format.into(), &bytes, &toy) == Outcome::Same);
        }
        assert!(same > 0, "{}: nothing comes back", format.name);
    }
}

/// A message type of a number and a text, for formats that take no schema that was inferred: the
/// file extension of its language, and its text.
const SCHEMAS: [(&str, &str); 4] = [
    ("proto", "syntax = \"proto3\"; message M { uint64 id = 1; string mark = 2; }"),
    ("thrift", "struct M { 1: required i64 id, 2: required string mark }"),
    ("etch", "module toy service Toy { void m(long id, string mark) }"),
    ("asn", "Toy DEFINITIONS AUTOMATIC TAGS ::= BEGIN M ::= SEQUENCE { id INTEGER, mark UTF8String } END"),
];

/// Returns `format` bound to the schema of `sample`, or to one of [`SCHEMAS`].
fn bound(format: &'static Format, sample: &Value) -> Option<Dialect> {
    let mut inference = Inference::new();
    inference.add(|sink| sample.emit(sink)).expect("a value is a sample");
    if let Ok(bound) = format.binder?.adopt(&inference.finish(None)) {
        return Some(Dialect::bound(format, bound));
    }
    SCHEMAS.iter().find_map(|(extension, text)| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("toy-{}.{extension}", format.name));
        std::fs::write(&file, text).expect("a file for the schema");
        Dialect::with_schema(format, &file, None, &[]).ok()
    })
}

#[test]
fn formats_with_a_schema_take_the_toy() {
    let toy = Dialect::from(&toy::FORMAT);
    let sample = |mark| Value::record([("id", Value::UInt(300)), ("mark", mark)]);
    let plain = sample(Value::text("m"));
    let tagged = sample(marked(7, Value::text("m")));
    let mut only_read = Vec::new();
    for format in registry().into_iter().filter(|format| format.binder.is_some()) {
        let by_plain = bound(format, &plain).unwrap_or_else(|| panic!("{}: no schema", format.name));
        if by_plain.writer().is_none() {
            only_read.push((format.name, by_plain));
            continue;
        }
        assert_eq!(there_and_back(&toy, &toy_bytes(&plain), &by_plain), Outcome::Same, "{}", format.name);
        // A tag comes back by a schema that has it, and is reported elsewhere.
        let by_tagged = bound(format, &tagged).unwrap_or(by_plain);
        let same = there_and_back(&toy, &toy_bytes(&tagged), &by_tagged) == Outcome::Same;
        // Some take no schema that was inferred.
        let takes_none = ["asn1-xer", "asn1-cxer", "etch", "etch-packet", "protojson", "txtpb", "thrift-simple-json"];
        assert_eq!(same, !takes_none.contains(&format.name), "{}", format.name);
    }
    let [("protobuf-confluent", confluent)] = &only_read[..] else { panic!("{only_read:?}") };
    // The number of a schema, the place of the message type in it, and the message.
    let message = b"\0\0\0\0\x01\0\x08\xac\x02\x12\x01m";
    let (bytes, done) = converted(confluent, message, &toy).expect("a message");
    // The head of the message is a remark, for which the toy has no place.
    let losses: Vec<LossKind> = done.losses.iter().map(|loss| loss.kind).collect();
    assert_eq!(losses, [LossKind::Remark]);
    testing::assert_same(&plain, &testing::value_of(&toy::FORMAT, &bytes).expect("a toy message"), "protobuf-confluent");
}

#[test]
fn tags_of_the_toy_survive_or_are_reported() {
    let toy = Dialect::from(&toy::FORMAT);
    let value = Value::record([("plain", Value::text("x")), ("mark", marked(7, Value::text("y")))]);
    let mut kept = Vec::new();
    for format in others() {
        match there_and_back(&toy, &toy_bytes(&value), &format.into()) {
            Outcome::Same => kept.push(format.name),
            Outcome::Lost(losses) => assert!(losses.iter().any(|loss| loss.starts_with("mark: ")), "{}: {losses:?}", format.name),
            Outcome::Refused => panic!("{}: a tagged text is refused", format.name),
        }
    }
    assert_eq!(kept, ["xml", "psyc", "exi"]);
    // The toy has no place for tags of other spaces.
    let foreign = Value::record([("mark", Value::Tagged { space: "cbor".into(), code: 32, value: Box::new(Value::text("y")) })]);
    let cbor = registry::find("cbor").expect("CBOR");
    let outcome = there_and_back(&cbor.into(), &testing::write(cbor, &foreign).expect("CBOR"), &toy);
    assert_eq!(outcome, Outcome::Lost(vec!["mark: tag dropped".into()]));
}

#[test]
fn streams_of_the_toy_go_to_every_format_and_back() {
    let toy = Dialect::from(&toy::FORMAT);
    for format in others().filter(|format| format.writer.is_some_and(|make| make().only_one().is_none())) {
        let row = row_for(format);
        let stream = toy_bytes(&row).repeat(3);
        let there = converted(&toy, &stream, &format.into()).and_then(|(there, done)| {
            assert_eq!(done.messages, 3, "{}", format.name);
            converted(&format.into(), &there, &toy)
        });
        let (back, done) = there.unwrap_or_else(|error| panic!("{}: {error}", format.name));
        assert_eq!(done.messages, 3, "{}", format.name);
        let frames = testing::frames(&toy::FORMAT, &back, &[back.len()]);
        for (start, end) in frames.into_iter().flatten() {
            let came = testing::value_of(&toy::FORMAT, &back[start..end]).expect("a toy message");
            testing::assert_same(&row, &came, format.name);
        }
    }
}

#[test]
fn the_toy_is_recognised() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..300 {
        let value = held(&mut rng, 3);
        let bytes = toy_bytes(&value);
        let sure: Vec<&str> = registry()
            .into_iter()
            .filter(|format| (format.recognise)(&bytes, true) == Confidence::Certain)
            .map(|format| format.name)
            .collect();
        assert_eq!(sure, ["toy"], "{value:?}");
        for format in others() {
            let Ok(bytes) = testing::write(format, &value) else { continue };
            assert_eq!((toy::FORMAT.recognise)(&bytes, true), Confidence::No, "{}", format.name);
        }
    }
}

#[test]
fn an_inspection_shows_each_byte_of_the_toy() {
    let bytes = toy_bytes(&Value::record([("a", marked(300, Value::List(vec![Value::UInt(5), Value::text("é")])))]));
    let (mut rows, mut next) = (Vec::new(), 0);
    let inspection = inspect(&toy::FORMAT, &bytes, &Options::default(), &mut |row| {
        assert_eq!(row.bytes.start, next, "{row:?}");
        next = row.bytes.end;
        rows.push((row.what, row.raw.to_vec(), row.value.to_string()));
        Ok(())
    });
    let inspection = inspection.expect("rows are taken");
    assert!(inspection.messages == 1 && inspection.broken.is_none(), "{inspection:?}");
    assert_eq!(next, bytes.len() as u64);
    for (what, raw, value) in [
        (What::Syntax, &b"TOY1\0\0\0\x10"[..], ""),
        (What::Field, b"\x01a", "a"),
        (What::Open, b"x\x0a\xac\x02", "toy 300"),
        (What::Value, b"u\x05", "5"),
        (What::Value, "s\u{2}é".as_bytes(), "\"é\""),
    ] {
        assert!(rows.iter().any(|row| row.0 == what && row.1 == raw && row.2 == value), "{what:?} {value}: {rows:?}");
    }
}

#[test]
fn the_toy_keeps_the_promises_of_every_format() {
    let mut rng = Rng::with_seed(5);
    let corpus: Vec<Vec<u8>> = (0..60).map(|_| toy_bytes(&held(&mut rng, 3))).collect();
    let check = |bytes: &[u8], cut: usize| {
        testing::fuzz_walk(&toy::FORMAT, bytes);
        testing::fuzz_frames(&toy::FORMAT, bytes, cut);
        testing::fuzz_skip(&toy::FORMAT, bytes);
        testing::fuzz_rewrite(&toy::FORMAT, bytes);
        testing::fuzz_inspect(&toy::FORMAT, bytes);
    };
    for bytes in &corpus {
        (0..=bytes.len()).for_each(|end| check(&bytes[..end], end / 2));
    }
    for _ in 0..4000 {
        let start = rng.usize(..corpus.len());
        let bytes = testing::mutate(&mut rng, &corpus[start]);
        check(&bytes, rng.usize(..=bytes.len()));
    }
    testing::fuzz_cuts(&toy::FORMAT, &corpus[..8]);
}

#[test]
fn the_toy_spends_the_limits() {
    let deep = (0..40).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    let wide = Value::List(vec![Value::Null; 100]);
    for (value, limits) in [(deep, Limits::DEFAULT.with_depth(39)), (wide, Limits::DEFAULT.with_items(100))] {
        let bytes = toy_bytes(&value);
        let walked = Walker::new(&toy::FORMAT, &limits).walk(&bytes, 0, &mut Count::default());
        assert_eq!(walked.expect_err("a limit").kind(), ErrorKind::Limit);
    }
}
