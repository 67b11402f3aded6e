//! CBOR: the examples of RFC 8949, judges, and hostile bytes.

mod vectors;

use fastrand::Rng;
use num_bigint::BigInt;
use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::{Projection, Walker};
use polywire_core::value::Value;
use polywire_core::walk::Path;
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Frame, Len, Limits, Next, Note, Open, Part, PartKind, Reader, Result, Scalar, Sink, Span, Str,
    Timestamp, Writer,
};
use polywire_formats::cbor::{CborReader, CborWriter, FORMAT};
use polywire_formats::{msgpack, registry};
use polywire_testing::{self as testing, Shape, assert_same};
use vectors::{hex, load, unhex};

fn read(bytes: &[u8]) -> Result<Value, Error> {
    testing::value_of(&FORMAT, bytes)
}

fn failure(bytes: &[u8]) -> Error {
    testing::failure(&FORMAT, bytes)
}

fn written(value: &Value) -> (Vec<u8>, Vec<&'static str>) {
    testing::written(&FORMAT, value)
}

/// Returns the value that CBOR makes of a value, and whether that changes it.
fn kept(value: &Value, changed: &mut bool) -> Value {
    let mut list = |values: &[Value]| Value::List(values.iter().map(|value| kept(value, changed)).collect());
    match value {
        Value::List(values) => list(values),
        Value::Tuple(values) => {
            let list = list(values);
            *changed = true;
            list
        }
        Value::Octets(bytes) => {
            *changed = true;
            Value::Bytes(bytes.clone())
        }
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (kept(key, changed), kept(value, changed))).collect()),
        Value::Record { name, fields } => {
            *changed |= !name.is_empty();
            Value::record(fields.iter().map(|(name, value)| (name.clone(), kept(value, changed))))
        }
        Value::Variant { name, index, values } => {
            let payload = match &values[..] {
                [] => Value::Null,
                [one] => kept(one, changed),
                more => list(more),
            };
            *changed = true;
            let key = if name.is_empty() { Value::UInt(u64::from(*index)) } else { Value::text(name) };
            Value::Map(vec![(key, payload)])
        }
        other => other.clone(),
    }
}

fn generated() -> impl Iterator<Item = Value> {
    let mut rng = Rng::with_seed(21);
    (0..600).map(move |n| testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY }))
}

#[test]
fn what_comes_back_is_what_was_written_or_noted_as_lost() {
    testing::comes_back(&FORMAT, generated(), kept);
}

/// A whole number of any size in the one spelling that the model has for it.
fn whole(number: &BigInt) -> Value {
    match (u64::try_from(number), i64::try_from(number)) {
        (Ok(number), _) => Value::UInt(number),
        (_, Ok(number)) => Value::Int(number),
        _ => Value::Big(number.to_string()),
    }
}

fn decimal_of(value: &Value) -> BigInt {
    match value {
        Value::UInt(number) => (*number).into(),
        Value::Int(number) => (*number).into(),
        Value::Big(digits) => digits.parse().unwrap(),
        other => panic!("{other:?} is no whole number"),
    }
}

/// Returns the meaning of a tag, by plain rules that hold for the output of our writer.
fn tagged(tag: u64, content: Value) -> Value {
    let magnitude = |bytes: &[u8]| BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes);
    match (tag, content) {
        (0, Value::Text(text)) => Value::Time(Timestamp::from_rfc3339(&text).unwrap()),
        (1, seconds @ (Value::UInt(_) | Value::Int(_))) => {
            Value::Time(Timestamp::new(i64::try_from(decimal_of(&seconds)).unwrap(), 0).unwrap())
        }
        (2, Value::Bytes(bytes)) => whole(&magnitude(&bytes)),
        (3, Value::Bytes(bytes)) => whole(&(-magnitude(&bytes) - 1i32)),
        (4, Value::List(parts)) => Value::Decimal(format!("{}e{}", decimal_of(&parts[1]), decimal_of(&parts[0]))),
        (code, content) => Value::Tagged { space: "cbor".into(), code, value: Box::new(content) },
    }
}

fn from_ciborium(value: &ciborium::Value) -> Value {
    match value {
        ciborium::Value::Null => Value::Null,
        ciborium::Value::Bool(value) => Value::Bool(*value),
        ciborium::Value::Integer(number) => whole(&i128::from(*number).into()),
        ciborium::Value::Float(value) => Value::F64(*value),
        ciborium::Value::Text(text) => Value::text(text),
        ciborium::Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
        ciborium::Value::Array(values) => Value::List(values.iter().map(from_ciborium).collect()),
        ciborium::Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (from_ciborium(key), from_ciborium(value))).collect()),
        ciborium::Value::Tag(tag, content) => tagged(*tag, from_ciborium(content)),
        other => panic!("{other:?}"),
    }
}

/// The value as the `ciborium` crate sees it.
fn to_ciborium(value: &Value) -> ciborium::Value {
    let tag = |tag, content| ciborium::Value::Tag(tag, Box::new(content));
    match value {
        Value::Null => ciborium::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::UInt(value) => (*value).into(),
        Value::F32(value) => ciborium::Value::Float(f64::from(*value)),
        Value::F64(value) => ciborium::Value::Float(*value),
        Value::Text(text) => text.as_str().into(),
        Value::Bytes(bytes) => ciborium::Value::Bytes(bytes.clone()),
        Value::Big(digits) => match digits.parse::<BigInt>().unwrap() {
            number if number.sign() == num_bigint::Sign::Minus => tag(3, ciborium::Value::Bytes(BigInt::to_bytes_be(&-(number + 1i32)).1)),
            number => tag(2, ciborium::Value::Bytes(number.to_bytes_be().1)),
        },
        // All that the generator makes: a point, and no exponent.
        Value::Decimal(text) => {
            let (whole, fraction) = text.split_once('.').unwrap();
            let mantissa = tag(2, ciborium::Value::Bytes(format!("{whole}{fraction}").parse::<BigInt>().unwrap().to_bytes_be().1));
            tag(4, ciborium::Value::Array(vec![(-(fraction.len() as i64)).into(), mantissa]))
        }
        Value::Time(moment) if moment.nanos() == 0 => tag(1, moment.seconds().into()),
        Value::Time(moment) => tag(0, moment.to_rfc3339().unwrap().into()),
        Value::List(values) => ciborium::Value::Array(values.iter().map(to_ciborium).collect()),
        Value::Map(pairs) => ciborium::Value::Map(pairs.iter().map(|(key, value)| (to_ciborium(key), to_ciborium(value))).collect()),
        Value::Record { fields, .. } => {
            ciborium::Value::Map(fields.iter().map(|(name, value)| (name.as_str().into(), to_ciborium(value))).collect())
        }
        other => panic!("{other:?} is not for the judge"),
    }
}

#[test]
fn ciborium_reads_what_is_written_and_the_reverse() {
    let mut told = 0;
    for value in generated() {
        let value = kept(&value, &mut false);
        let (bytes, _) = written(&value);
        // ciborium takes every bignum of at most 16 bytes for an i128.
        let judged: ciborium::Value = match ciborium::from_reader(&bytes[..]) {
            Err(ciborium::de::Error::Semantic(_, what)) if what == "integer too large" => continue,
            other => other.unwrap(),
        };
        told += 1;
        assert_same(&value, &from_ciborium(&judged), "read by ciborium");
        // ciborium writes floats as narrow as they go, which the comparison allows.
        let mut theirs = Vec::new();
        ciborium::into_writer(&to_ciborium(&value), &mut theirs).unwrap();
        assert_same(&value, &read(&theirs).unwrap(), "written by ciborium");
    }
    assert!(told > 400, "{told} values told to the judge");
}

fn from_minicbor(decoder: &mut minicbor::Decoder<'_>) -> Value {
    use minicbor::data::Type;
    match decoder.datatype().unwrap() {
        Type::Null => {
            decoder.null().unwrap();
            Value::Null
        }
        Type::Bool => Value::Bool(decoder.bool().unwrap()),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Int => {
            whole(&i128::from(decoder.int().unwrap()).into())
        }
        Type::F32 => Value::F32(decoder.f32().unwrap()),
        Type::F64 => Value::F64(decoder.f64().unwrap()),
        Type::String => Value::text(decoder.str().unwrap()),
        Type::Bytes => Value::Bytes(decoder.bytes().unwrap().to_vec()),
        Type::Array => {
            let count = decoder.array().unwrap().unwrap();
            Value::List((0..count).map(|_| from_minicbor(decoder)).collect())
        }
        Type::Map => {
            let count = decoder.map().unwrap().unwrap();
            Value::Map((0..count).map(|_| (from_minicbor(decoder), from_minicbor(decoder))).collect())
        }
        Type::Tag => {
            let tag = decoder.tag().unwrap().as_u64();
            tagged(tag, from_minicbor(decoder))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn minicbor_reads_what_is_written() {
    for value in generated() {
        let value = kept(&value, &mut false);
        let (bytes, _) = written(&value);
        let mut decoder = minicbor::Decoder::new(&bytes);
        assert_same(&value, &from_minicbor(&mut decoder), "read by minicbor");
        assert_eq!(decoder.position(), bytes.len());
    }
}

#[test]
fn errors_say_what_and_where() {
    for (bytes, kind, offset) in [
        ("", ErrorKind::Truncated, 0),
        ("1c", ErrorKind::Syntax, 0),
        ("821d00", ErrorKind::Syntax, 1),
        ("1f", ErrorKind::Syntax, 0),
        ("3f", ErrorKind::Syntax, 0),
        ("df", ErrorKind::Syntax, 0),
        ("fc", ErrorKind::Syntax, 0),
        ("ff", ErrorKind::Syntax, 0),
        ("81ff", ErrorKind::Syntax, 1),
        ("83ff", ErrorKind::Syntax, 1),
        ("c1ff", ErrorKind::Syntax, 1),
        ("bf01ff", ErrorKind::Syntax, 2),
        ("a101ff", ErrorKind::Syntax, 2),
        ("9fa0ffff", ErrorKind::Trailing, 3),
        ("5f6161ff", ErrorKind::Syntax, 1),
        ("7f4161ff", ErrorKind::Syntax, 1),
        ("7f7f6161ffff", ErrorKind::Syntax, 1),
        ("5f00ff", ErrorKind::Syntax, 1),
        ("7f7cff", ErrorKind::Syntax, 1),
        ("f818", ErrorKind::Syntax, 0),
        ("f81f", ErrorKind::Syntax, 0),
        ("62c328", ErrorKind::Encoding, 1),
        ("7f61c361a4ff", ErrorKind::Encoding, 2),
        ("a162c32801", ErrorKind::Encoding, 2),
        ("0000", ErrorKind::Trailing, 1),
        ("1901", ErrorKind::Truncated, 2),
        ("62", ErrorKind::Truncated, 1),
        ("5b00000001000000004142", ErrorKind::Truncated, 11),
        ("9f01", ErrorKind::Truncated, 2),
        ("d9d9f7", ErrorKind::Truncated, 3),
    ] {
        let error = failure(&unhex(bytes));
        assert_eq!((error.kind(), error.offset(), error.fault()), (kind, Some(offset), Fault::Data), "{bytes}: {error}");
        assert_eq!(error.format(), Some("cbor"));
        assert!(error.path().is_some());
    }
    let error = failure(&unhex("a16161821d00"));
    assert_eq!(error.path().unwrap().to_string(), "a");
}

#[test]
fn a_claimed_count_fails_at_its_head() {
    for bytes in ["9bffffffffffffffff00", "bbffffffffffffffff00", "9affffffff0102030405", "bb80000000000000010000", "8198100102"] {
        let error = failure(&unhex(bytes));
        let head = u64::from(bytes.starts_with("8198"));
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(head)), "{error}");
        assert!(error.to_string().contains("claims"), "{error}");
    }
    for bytes in ["5bffffffffffffffff00", "7affffffff0000", "5f5affffffff00", "c25affffffff00", "c07affffffff00"] {
        assert_eq!(failure(&unhex(bytes)).kind(), ErrorKind::Truncated);
        testing::fuzz_skip(&FORMAT, &unhex(bytes));
    }
}

#[test]
fn deep_nesting_is_refused_and_stepped_over_within_limits() {
    for head in ["81", "9f", "a100", "bf00", "c6", "c1", "c2", "c4", "d9d9f7", "c481"] {
        let mut bytes = unhex(head).repeat(200_000);
        bytes.push(0xf6);
        let error = failure(&bytes);
        assert_eq!((error.kind(), error.fault()), (ErrorKind::Limit, Fault::Data), "{head}: {error}");
        let mut reader = CborReader::default();
        let Frame::Message { start: 0, end } = reader.frame(&bytes, 0, true).unwrap() else { panic!("a message") };
        let error = reader.walk(&bytes[..end], 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}

#[test]
fn skipped_values_count_as_items_and_depth() {
    let bytes = unhex("a161619f8183010203ff");
    let walk = |limits: Limits| {
        let projection = Projection::new(&[Path::parse("b").unwrap()]);
        Walker::new(&FORMAT, &limits).select(Some(projection)).walk(&bytes, 0, &mut Count::default())
    };
    assert_eq!(walk(Limits::DEFAULT.with_items(5)).unwrap_err().kind(), ErrorKind::Limit);
    assert_eq!(walk(Limits::DEFAULT.with_depth(3)).unwrap_err().kind(), ErrorKind::Limit);
    assert!(walk(Limits::DEFAULT.with_depth(4).with_items(8)).is_ok());
}

#[test]
fn numbers_of_many_digits_are_bounded() {
    let big = |bytes: usize| {
        let mut message = unhex("c259");
        message.extend((bytes as u16).to_be_bytes());
        message.extend(vec![0xff; bytes]);
        message
    };
    let Value::Big(digits) = read(&big(1600)).unwrap() else { panic!("a big integer") };
    assert_eq!(digits.len(), 3854);
    let huge = read(&big(60_000)).unwrap();
    assert!(matches!(&huge, Value::Tagged { space, code: 2, value } if space == "cbor" && matches!(**value, Value::Bytes(_))), "{huge:?}");
    testing::fuzz_rewrite(&FORMAT, &big(60_000));

    for digits in [4096, 4097] {
        let value = Value::Big("9".repeat(digits));
        let (bytes, losses) = written(&value);
        let expected = if digits == 4096 { value } else { Value::Text("9".repeat(digits)) };
        assert_eq!(losses.is_empty(), digits == 4096);
        assert_eq!(read(&bytes).unwrap(), expected);
    }
    // The reader's own limit decides, not the default.
    let limits = Limits::DEFAULT.with_digits(30);
    let mut sink = polywire_core::value::ValueSink::default();
    let (bytes, _) = written(&Value::Big("9".repeat(31)));
    CborReader::default().walk_into(&bytes, 0, &mut sink, &mut Budget::new(&limits)).unwrap();
    assert!(matches!(sink.finish(), Some(Value::Tagged { code: 2, .. })));
}

#[test]
fn decimals_and_moments_that_cannot_be_kept_are_noted() {
    for (value, bytes, loss) in [
        (
            Value::Decimal("1e99999999999999999999".into()),
            "7631653939393939393939393939393939393939393939",
            Some("decimal beyond 4096 digits or a 64-bit exponent became text"),
        ),
        (Value::Decimal("1e-99999999999999999999".into()), "fb0000000000000000", Some("decimal rounded to the nearest 64-bit float")),
        (Value::Decimal(format!("0.{}1", "3".repeat(5000))), "fb3fd5555555555555", Some("decimal rounded to the nearest 64-bit float")),
        (Value::Decimal("-1.50e400".into()), "c48219018e3895", None),
        (Value::Time(Timestamp::new(i64::MAX, 0).unwrap()), "c11b7fffffffffffffff", None),
        (
            Value::Time(Timestamp::new(i64::MAX, 1).unwrap()),
            "c11b7fffffffffffffff",
            Some("decimals of a second dropped from a timestamp outside the years 0 to 9999"),
        ),
        (Value::Octets(vec![0xff]), "41ff", Some("octets became bytes")),
    ] {
        let (out, losses) = written(&value);
        assert_eq!((hex(&out).as_str(), losses.first().copied()), (bytes, loss), "{value:?}");
    }
}

#[test]
fn tags_that_cannot_be_kept_are_noted() {
    let tagged = |space, code, value| Value::Tagged { space, code, value: Box::new(value) };
    for (value, bytes, loss) in [
        (tagged("msgpack".into(), 9, Value::Bytes(vec![1])), "4101", Some("tag dropped")),
        (tagged("cbor-simple".into(), 22, Value::Null), "f6", Some("tag dropped")),
        (tagged("cbor-simple".into(), 24, Value::Null), "f6", Some("tag dropped")),
        (tagged("cbor-simple".into(), 300, Value::Null), "f6", Some("tag dropped")),
        (tagged("cbor-simple".into(), 16, Value::UInt(1)), "01", Some("simple value dropped: it holds more than null")),
        (tagged("cbor-simple".into(), 16, Value::List(vec![])), "80", Some("simple value dropped: it holds more than null")),
        (tagged("cbor".into(), 37, Value::Bytes(vec![1])), "d8254101", None),
    ] {
        let (out, losses) = written(&value);
        assert_eq!((hex(&out).as_str(), losses.first().copied()), (bytes, loss), "{value:?}");
    }
}

/// Remembers parts and notes.
#[derive(Default)]
struct Pieces(Vec<String>);

impl<'m> Sink<'m> for Pieces {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.0.push(format!("field {} {}..{}", field.name.get(), at.start, at.end));
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.0.push(format!("{} {}..{}", value.kind(), at.start, at.end));
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let last = if part.last { " last" } else { "" };
        self.0.push(format!("{:?} {} {}..{}{last}", part.kind, hex(part.bytes), at.start, at.end));
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.push(format!("close {}..{}", at.start, at.end));
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.0.push(format!("{note:?} {}..{}", at.start, at.end));
        Ok(())
    }
}

fn pieces(bytes: &str) -> Vec<String> {
    let mut pieces = Pieces::default();
    CborReader::default().walk_into(&unhex(bytes), 0, &mut pieces, &mut Budget::new(&Limits::DEFAULT)).unwrap();
    pieces.0
}

#[test]
fn strings_in_pieces_come_as_parts_that_cover_all_bytes() {
    assert_eq!(pieces("7f61616262 63ff".replace(' ', "").as_str()), ["Text 61 0..3", "Text 6263 3..7 last"]);
    assert_eq!(pieces("5fff"), ["Bytes  0..2 last"]);
    assert_eq!(pieces("9f5f4101ffff"), ["Bytes 01 1..5 last", "close 5..6"]);
    assert_eq!(pieces("a17f61616162ff01"), ["field ab 1..7", "integer 7..8", "close 8..8"]);
    assert_eq!(pieces("d9d9f701"), ["Coerced(\"the tag 55799 says that this is CBOR\") 0..3", "integer 3..4"]);
}

#[test]
fn parts_are_written_in_pieces_again() {
    for (bytes, same) in [("7f6161626263ff", true), ("5f41014102ff", true), ("5f4101ff", false)] {
        let mut writer = CborWriter::default();
        CborReader::default().walk_into(&unhex(bytes), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        let mut out = Vec::new();
        writer.finish(&mut out).unwrap();
        assert_eq!(hex(&out) == bytes, same, "{bytes} became {}", hex(&out));
        assert_eq!(read(&out).unwrap(), read(&unhex(bytes)).unwrap());
    }
    let mut writer = CborWriter::default();
    writer.part(Part { bytes: b"\xff", kind: PartKind::Octets, total: None, last: false }, Span::NONE).unwrap();
    writer.part(Part { bytes: b"", kind: PartKind::Octets, total: None, last: true }, Span::NONE).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    assert_eq!(hex(&out), "5f41ffff");
    assert_eq!(writer.losses().len(), 1);
}

#[test]
fn keys_in_pieces_are_bounded_by_what_decoding_may_make() {
    let mut bytes = unhex("a17f");
    for _ in 0..100 {
        bytes.extend(unhex("6461616161"));
    }
    bytes.extend(unhex("ff01"));
    let limits = Limits::DEFAULT.with_decoded(399);
    let mut reader = CborReader::default();
    assert_eq!(reader.walk(&bytes, 0, &mut Count::default(), &mut Budget::new(&limits)).unwrap_err().kind(), ErrorKind::Limit);
    let limits = Limits::DEFAULT.with_decoded(400);
    assert!(reader.walk(&bytes, 0, &mut Count::default(), &mut Budget::new(&limits)).is_ok());
}

fn messages() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = load("cbor/rfc8949-appendix-a.json").into_iter().map(|case| case.bytes).collect();
    all.extend(load("cbor/forms.json").into_iter().map(|case| case.bytes));
    all.extend(generated().take(60).map(|value| written(&value).0));
    all
}

#[test]
fn a_sequence_frames_the_same_however_it_is_cut() {
    let messages: Vec<Vec<u8>> = messages().into_iter().filter(|bytes| bytes.len() < 200).take(120).collect();
    testing::fuzz_cuts(&FORMAT, &messages);
}

#[test]
fn framing_asks_for_what_is_missing() {
    let mut reader = CborReader::default();
    assert_eq!(reader.frame(&[], 0, false).unwrap(), Frame::More(1));
    assert_eq!(reader.frame(&[], 0, true).unwrap(), Frame::End);
    assert_eq!(reader.frame(&unhex("5a0000"), 0, false).unwrap(), Frame::More(2));
    assert_eq!(reader.frame(&unhex("5a00000009aa"), 0, false).unwrap(), Frame::More(8));
    assert_eq!(reader.frame(&unhex("5a00000009aa"), 0, true).unwrap(), Frame::Message { start: 0, end: 6 });
    assert_eq!(reader.frame(&unhex("9fff9f"), 6, false).unwrap(), Frame::Message { start: 0, end: 2 });
}

#[test]
fn counts_that_come_late_are_put_in_place() {
    testing::late_counts(&FORMAT, 30);
}

#[test]
fn a_writer_holds_callers_to_their_word_and_recovers() {
    let at = Span::NONE;
    let mut writer = CborWriter::default();
    let mut out = Vec::new();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.open(Open::List(Len::Claimed(2)), at).unwrap();
    writer.scalar(Scalar::Null, at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.field(Field::named(Str::Scratch("a")), at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Tagged { space: "cbor", code: 1 }, at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.scalar(Scalar::uint(7), at).unwrap();
    writer.finish(&mut out).unwrap();
    writer.scalar(Scalar::uint(8), at).unwrap();
    writer.finish(&mut out).unwrap();
    assert_eq!(out, [7, 8]);
}

#[test]
fn it_is_recognised_and_other_things_are_not() {
    let look = |bytes: &[u8], whole| (FORMAT.recognise)(bytes, whole);
    let object = written(&Value::record([
        ("name", Value::text("Ada")),
        ("age", Value::UInt(36)),
        ("tags", Value::List(vec![Value::text("x"), Value::Null])),
    ]))
    .0;
    assert_eq!(look(&object, true), Confidence::Likely);
    assert_eq!(look(&object.repeat(3), true), Confidence::Likely);
    assert_eq!(look(&object.repeat(3)[..object.len() * 2 + 9], false), Confidence::Likely);
    assert_eq!(look(&unhex("d9d9f7"), true), Confidence::Certain);
    for text in ["{\"a\": 1}", "[1, 2]", "<a/>", "\"text\"", "12", "plain", "ünï", "дом", "ßß"] {
        assert_eq!(look(text.as_bytes(), true), Confidence::No, "{text}");
    }
    assert_eq!(look(&unhex("fb3ff199999999999a"), true), Confidence::Possible);
    assert_eq!(look(b"", true), Confidence::No);
    assert_eq!(look(&[0xff, 0xfe], true), Confidence::No);
}

#[test]
fn msgpack_and_cbor_are_told_apart() {
    let mut rng = Rng::with_seed(31);
    let mut wrong = Vec::new();
    let mut tried = 0;
    for _ in 0..400 {
        let fields = (0..rng.usize(1..8)).map(|n| (format!("field{n}"), testing::value(&mut rng, Shape { depth: 2, ..Shape::PLAIN })));
        let object = Value::record(fields.collect::<Vec<_>>());
        let list = Value::List((0..rng.usize(1..20)).map(|_| object.clone()).collect());
        for value in [&object, &list] {
            for format in [&msgpack::FORMAT, &FORMAT] {
                let bytes = testing::write(format, value).unwrap();
                for (bytes, whole) in [(&bytes[..], true), (&bytes[..bytes.len() * 3 / 4], false)] {
                    tried += 1;
                    if registry::recognise(bytes, whole).map(|found| found.name) != Some(format.name) {
                        let said = [&msgpack::FORMAT, &FORMAT].map(|format| (format.recognise)(bytes, whole));
                        wrong.push(format!("{} {whole} {said:?} {}", format.name, hex(&bytes[..bytes.len().min(40)])));
                    }
                }
            }
        }
    }
    assert!(wrong.len() * 100 <= tried, "{} of {tried}: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

/// Numbers that neither integers, bignums nor decimal fractions can hold become text, with a loss.
#[test]
fn numbers_without_a_form_become_text() {
    let text = |text: &str| written(&Value::text(text)).0;
    for digits in ["-0", "", "1x"] {
        assert_eq!(
            written(&Value::Big(digits.into())),
            (text(digits), vec!["big integer of more than 4096 digits became text"]),
            "{digits}"
        );
    }
    for (count, is_number) in [(4096, true), (4097, false)] {
        let digits = "7".repeat(count);
        for (value, digits) in
            [(Value::Big(digits.clone()), digits.clone()), (Value::Decimal(format!("{digits}e-3")), format!("{digits}e-3"))]
        {
            let (bytes, losses) = written(&value);
            assert_eq!((losses.is_empty(), bytes != text(&digits)), (is_number, is_number), "{count} digits: {losses:?}");
            let back = read(&bytes).unwrap();
            assert_eq!(matches!(back, Value::Text(_)), !is_number, "{count} digits");
        }
    }
    for zero in ["-0", "-0.00", "-0e5"] {
        assert_eq!(written(&Value::Decimal(zero.into())), (unhex("fb8000000000000000"), vec![]), "{zero}");
    }
    assert_eq!(written(&Value::Decimal("0e0".into())), (unhex("c4820000"), vec![]));
    assert_eq!(written(&Value::Time(Timestamp::new(0, 0).unwrap())), (unhex("c100"), vec![]));
}

/// Repeated elements of XML are one list, and comments are a loss.
#[test]
fn repeated_fields_are_a_list_and_remarks_a_loss() {
    let xml = registry::find("xml").unwrap();
    let mut writer = CborWriter::default();
    Walker::new(xml, &Limits::DEFAULT).walk(b"<a><!--x--><b>one</b><c>two</c><b>three</b></a>", 0, &mut writer).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    let b = Value::List(vec![Value::text("one"), Value::text("three")]);
    assert_same(&read(&out).unwrap(), &Value::record([("a", Value::record([("b", b), ("c", Value::text("two"))]))]), "from XML");
    assert!(writer.losses().iter().any(|lost| lost.what == "comment dropped"));
}
