//! Messages of a known type: their events, guesses of half a schema, and written messages.

use std::path::Path;
use std::sync::Arc;

use polywire_core::format::{Binder, Dialect};
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::tools::adapt::{Projection, Walker};
use polywire_core::tools::inspect::{self, What};
use polywire_core::value::{Value, ValueSink};
use polywire_core::walk::Path as ValuePath;
use polywire_core::{Budget, ErrorKind, Limits, Reader, Sink, Writer};
use polywire_protobuf::bind::{Protocol, Speech};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::walk::{ProtobufReader, ProtobufWriter};
use polywire_protobuf::wire::framing::Framing;
use polywire_protobuf::{FORMAT, source};

const SCHEMA: &str = "syntax = \"proto2\"; package t;
    message Person { required string name = 1; optional int32 id = 2; repeated string mail = 3; optional Person friend = 4; map<int32, bool> seen = 5;
        oneof home { string street = 6; fixed64 box = 7; } optional Kind kind = 8; repeated sint32 marks = 9 [packed = true]; optional bytes key = 10; }
    enum Kind { PLAIN = 0; ODD = 3; }";

fn plan(text: &str) -> Arc<Plan> {
    let text = SchemaText { name: "t.proto", bytes: text.as_bytes(), identity: "t.proto" };
    let protos = source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    Arc::new(Plan::named(&protos.pool, None).unwrap())
}

fn read(plan: &Arc<Plan>, bytes: &[u8]) -> Result<Value, polywire_core::Error> {
    let mut sink = ValueSink::default();
    ProtobufReader::new(Arc::clone(plan), Framing::Whole).walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(sink.finish().expect("a value"))
}

fn write(writer: &mut ProtobufWriter, value: &Value) -> Result<Vec<u8>, polywire_core::Error> {
    let mut out = Vec::new();
    value.emit(writer).and_then(|()| writer.finish(&mut out)).inspect_err(|_| writer.reset())?;
    Ok(out)
}

fn record(fields: &[(&str, Value)]) -> Value {
    Value::Record { name: String::new(), fields: fields.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect() }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_string())
}

fn ada() -> Value {
    let seen = Value::Map(vec![(Value::UInt(1), Value::Bool(true)), (Value::int(-1), Value::Bool(false))]);
    record(&[
        ("name", text("Ada")),
        ("id", Value::int(-1)),
        ("mail", Value::List(vec![text("a@b")])),
        ("friend", record(&[("name", text("Bob"))])),
        ("seen", seen),
        ("box", Value::UInt(7)),
        ("kind", text("ODD")),
        ("marks", Value::List(vec![Value::int(-1), Value::UInt(2)])),
        ("key", Value::Bytes(vec![0, 255])),
    ])
}

#[test]
fn what_is_written_is_read() {
    let plan = plan(SCHEMA);
    let mut writer = ProtobufWriter::new(Arc::clone(&plan), Framing::Whole);
    let bytes = write(&mut writer, &ada()).unwrap();
    assert_eq!(read(&plan, &bytes).unwrap(), ada());
    assert!(writer.losses().is_empty());
    // In any order, the same bytes.
    let Value::Record { mut fields, .. } = ada() else { unreachable!() };
    fields.reverse();
    assert_eq!(write(&mut writer, &Value::Record { name: String::new(), fields }).unwrap(), bytes);
}

#[test]
fn values_of_other_formats_fit() {
    let plan = plan(SCHEMA);
    let mut writer = ProtobufWriter::new(Arc::clone(&plan), Framing::Whole);
    let lenient = record(&[
        ("name", text("Ada")),
        ("2", text("-1")),
        ("mail", text("a@b")),
        ("friend", record(&[("name", text("Bob")), ("nick", text("B"))])),
        ("seen", record(&[("1", Value::Bool(true)), ("-1", text("false"))])),
        ("box", Value::F64(7.0)),
        ("kind", Value::UInt(3)),
        ("marks", Value::List(vec![text("-1"), Value::UInt(2)])),
        ("key", text("AP8=")),
    ]);
    let bytes = write(&mut writer, &lenient).unwrap();
    assert_eq!(read(&plan, &bytes).unwrap(), ada());
    let losses: Vec<&str> = writer.losses().iter().map(|lost| lost.what).collect();
    assert_eq!(losses, ["field that the schema does not have dropped"]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let plan = plan(SCHEMA);
    let mut writer = ProtobufWriter::new(Arc::clone(&plan), Framing::Whole);
    let named = |more: &[(&str, Value)]| record(&[&[("name", text("x"))], more].concat());
    for (value, kind) in [
        (record(&[]), ErrorKind::Unsupported),
        (text("x"), ErrorKind::Unsupported),
        (named(&[("id", Value::UInt(1 << 31))]), ErrorKind::Range),
        (named(&[("id", text("x"))]), ErrorKind::Range),
        (named(&[("name", text("y"))]), ErrorKind::DoubledKey),
        (named(&[("street", text("y")), ("box", Value::UInt(1))]), ErrorKind::DoubledKey),
        (named(&[("kind", Value::UInt(1))]), ErrorKind::Range),
        (named(&[("mail", record(&[]))]), ErrorKind::Unsupported),
        (named(&[("friend", text("Bob"))]), ErrorKind::Unsupported),
        (named(&[("mail", Value::List(vec![Value::Null]))]), ErrorKind::Unsupported),
        (named(&[("key", text("?"))]), ErrorKind::Unsupported),
    ] {
        let error = write(&mut writer, &value).expect_err(&format!("{value:?}"));
        assert_eq!(error.kind(), kind, "{value:?}: {error}");
    }
    assert!(write(&mut writer, &ada()).is_ok(), "the writer goes on after errors");
}

#[test]
fn streams_have_heads() {
    let plan = plan(SCHEMA);
    let bob = record(&[("name", text("Bob"))]);
    let message = [0x0a, 3, b'B', b'o', b'b'];
    for (framing, head) in [(Framing::Whole, &[][..]), (Framing::Delimited, &[5]), (Framing::Grpc, &[0, 0, 0, 0, 5])] {
        let mut writer = ProtobufWriter::new(Arc::clone(&plan), framing);
        let expected = [head, &message].concat();
        assert_eq!(write(&mut writer, &bob).unwrap(), expected);
        assert_eq!(writer.only_one().is_some(), framing == Framing::Whole);
    }
}

#[test]
fn unknown_fields_pass_an_older_program() {
    let (old, new) = (
        plan("syntax = \"proto2\"; message M { optional int32 b = 2; }"),
        plan("syntax = \"proto2\"; message M { optional int32 a = 1; optional int32 b = 2; optional string c = 3; }"),
    );
    let bytes = [0x08, 1, 0x10, 2, 0x1a, 1, b'x'];
    let pass = |keep: bool| {
        let mut writer = ProtobufWriter::new(Arc::clone(&old), Framing::Whole).unknown(keep);
        ProtobufReader::new(Arc::clone(&old), Framing::Whole).walk(&bytes, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        let mut out = Vec::new();
        writer.finish(&mut out).unwrap();
        (out, writer.losses().len())
    };
    assert_eq!(pass(true), (bytes.to_vec(), 0));
    assert_eq!(pass(false), (vec![0x10, 2], 2));
    assert_eq!(read(&new, &bytes).unwrap(), record(&[("a", Value::UInt(1)), ("b", Value::UInt(2)), ("c", text("x"))]));
}

fn bound(text: &str, name: &str) -> Dialect {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    Dialect::bound(&FORMAT, Protocol(Speech::Bytes(Framing::Whole)).bind(&file, None, &[]).unwrap())
}

#[test]
fn half_a_schema_leaves_the_rest_to_guess() {
    let half = bound("syntax = \"proto3\"; message M { string name = 1; M inner = 4; }", "half.proto");
    let bytes = [0x0a, 1, b'x', 0x10, 5, 0x22, 5, 0x1a, 3, b'a', b'b', b'c', 0x2a, 2, 0x08, 1];
    let mut seen = Vec::new();
    let mut told = 0;
    let outcome = inspect::inspect(half, &bytes, &inspect::Options::default(), &mut |row| {
        assert_eq!(row.bytes.start, told, "{row:?}");
        told = row.bytes.end;
        if matches!(row.what, What::Field | What::Value) {
            seen.push(format!("{} {}", row.value, row.notes.first().map_or("", |note| note.as_ref())).trim().to_string());
        }
        Ok(())
    })
    .unwrap();
    assert!(outcome.broken.is_none());
    let expected = [
        "name",
        "\"x\"",
        "2",
        "5 taken for a whole number",
        "inner",
        "3",
        "\"abc\" taken for text: printable UTF-8",
        "5",
        "1",
        "1 taken for a whole number",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn errors_have_a_place_and_a_path() {
    let dialect = bound(SCHEMA, "paths.proto");
    let mut walker = Walker::new(dialect, &Limits::DEFAULT);
    let mut sink = ValueSink::default();
    // The friend of the friend has no name.
    let bytes = [0x0a, 1, b'x', 0x22, 7, 0x0a, 1, b'y', 0x22, 2, 0x10, 1];
    let error = walker.walk(&bytes, 100, &mut sink).unwrap_err();
    assert_eq!((error.offset(), error.path().map(ToString::to_string).as_deref()), (Some(112), Some("friend.friend")), "{error}");
    assert!(error.to_string().contains("the required field `name`"), "{error}");
    let bad_text = [0x0a, 2, b'x', 0xff];
    let error = walker.walk(&bad_text, 0, &mut ValueSink::default());
    // Strings of proto2 may be anything.
    assert!(error.is_ok());
}

#[test]
fn only_what_is_selected_is_told() {
    let plan = plan(SCHEMA);
    let bytes = write(&mut ProtobufWriter::new(Arc::clone(&plan), Framing::Whole), &ada()).unwrap();
    let paths: Vec<ValuePath> = ["friend.name", "marks"].iter().map(|path| ValuePath::parse(path).unwrap()).collect();
    let mut walker = Walker::new(bound(SCHEMA, "selected.proto"), &Limits::DEFAULT).select(Some(Projection::new(&paths)));
    let mut sink = ValueSink::default();
    walker.walk(&bytes, 0, &mut sink).unwrap();
    let expected = record(&[("friend", record(&[("name", text("Bob"))])), ("marks", Value::List(vec![Value::int(-1), Value::UInt(2)]))]);
    assert_eq!(sink.finish().expect("a value"), expected);
    assert!(Sink::<'static>::needs(&ProtobufWriter::new(plan, Framing::Whole)).has(polywire_core::Needs::WHOLE_TEXT));
}
