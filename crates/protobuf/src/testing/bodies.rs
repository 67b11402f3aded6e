//! Bodies of the fuzz targets: functions that panic if a promise is broken.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::value::Tree;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Budget, Error, Fault, Limits, Reader, Writer};
use polywire_doc::{Datum, DocSink, DocumentReader, Reading, Repeated, Shape, Wanted};

use crate::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use crate::plan::{Message, Plan};
use crate::text::{TextParser, TextPrinter};
use crate::walk::{ProtobufReader, ProtobufWriter};
use crate::wire::framing::Framing;

/// Schemas with all features of fields.
const TEXTS: &[&str] = &[
    "syntax = \"proto2\"; message R { required int32 a = 1; optional R r = 2; repeated group G = 3 { optional string s = 1; optional R r = 2; }
     enum E { X = 0; Y = 5; } optional E e = 4; repeated E es = 5 [packed = true]; map<string, E> m = 6; extensions 100 to 200; optional string s = 7;
     message Set { option message_set_wire_format = true; extensions 4 to max; } optional Set set = 8; }
     extend R { repeated sint64 x = 100; } message I { extend R.Set { optional I item = 4; } optional int32 i = 1; optional R.Set set = 2; }
     message J { extend R.Set { optional J other = 70000; } repeated string s = 1; }",
    "syntax = \"proto3\"; message R { double d = 1; float f = 2; int64 i = 3; fixed32 x = 4; sfixed64 y = 5; bool b = 6; string s = 7; bytes z = 8;
     repeated R r = 9; map<int32, R> m = 10; oneof o { R one = 11; string two = 12; uint64 three = 13; } enum E { X = 0; Y = 5; } E e = 14;
     repeated sint32 p = 15; optional uint32 q = 16; map<bool, bytes> n = 17; repeated string t = 18; }",
    "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; import \"google/protobuf/struct.proto\"; import \"google/protobuf/timestamp.proto\";
     import \"google/protobuf/duration.proto\"; import \"google/protobuf/field_mask.proto\"; import \"google/protobuf/wrappers.proto\";
     message R { google.protobuf.Any a = 1; google.protobuf.Struct s = 2; google.protobuf.Value v = 3; google.protobuf.ListValue l = 4;
     google.protobuf.Timestamp t = 5; google.protobuf.Duration d = 6; google.protobuf.FieldMask m = 7; google.protobuf.Int64Value i = 8;
     google.protobuf.BytesValue b = 9; repeated google.protobuf.Any as = 10; R r = 12; }",
];

/// Returns the texts of the schemas that bodies choose from. Their messages are `R`.
pub fn schemas() -> &'static [&'static str] {
    TEXTS
}

/// Returns the plans of the schemas that bodies choose from.
pub fn plans() -> &'static [Arc<Plan>] {
    static PLANS: OnceLock<Vec<Arc<Plan>>> = OnceLock::new();
    PLANS.get_or_init(|| {
        let plan = |text: &&str| {
            let text = SchemaText { name: "fuzz.proto", bytes: text.as_bytes(), identity: "fuzz.proto" };
            let protos = crate::source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
            Arc::new(Plan::named(&protos.pool, Some("R")).unwrap_or_else(|error| panic!("{error}")))
        };
        TEXTS.iter().map(plan).collect()
    })
}

fn limits() -> Limits {
    Limits::DEFAULT.with_decoded(1 << 20)
}

fn checked<T>(outcome: Result<T, Error>, len: usize) -> Option<T> {
    outcome
        .inspect_err(|error| {
            assert!(error.fault() != Fault::Us, "{error}");
            assert!(error.offset().is_some_and(|offset| offset <= len as u64), "{error} of {len}");
        })
        .ok()
}

fn print(plan: &Arc<Plan>, bytes: &[u8]) -> Option<String> {
    let mut out = Vec::new();
    let mut printer = JsonPrinter::new(Arc::clone(plan), PrintOptions::default());
    checked(printer.print(bytes, 0, &mut out, &mut Budget::new(&limits())), bytes.len())?;
    Some(String::from_utf8(out).expect("JSON is UTF-8"))
}

fn parse(plan: &Arc<Plan>, text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut parser = JsonParser::new(Arc::clone(plan), ParseOptions::default());
    checked(parser.parse(text, 0, &mut out, &mut Budget::new(&limits())), text.len())?;
    Some(out)
}

/// Checks a message, under a schema that the first byte chooses. The walk and the printer accept
/// the same messages, and the events of the walk make the same message again.
///
/// # Panics
/// A promise is broken.
pub fn message(bytes: &[u8]) {
    let [choice, bytes @ ..] = bytes else { return };
    let plan = &plans()[usize::from(*choice) % TEXTS.len()];
    let mut tree = Tree::new();
    let mut reader = ProtobufReader::new(Arc::clone(plan), Framing::Whole);
    let walked = checked(reader.walk(bytes, 0, &mut tree, &mut Budget::new(&limits())), bytes.len());
    // Only for some inputs, since it takes as long as all the rest.
    if bytes.len() % 4 == 0 {
        documents(plan, bytes);
    }
    let json = print(plan, bytes);
    if walked.is_none() {
        assert!(json.is_none(), "{json:?} of bytes that the walk refuses");
        return;
    }
    let mut writer = ProtobufWriter::new(Arc::clone(plan), Framing::Whole);
    let mut again = Vec::new();
    tree.emit(&mut writer).and_then(|()| writer.finish(&mut again)).unwrap_or_else(|error| panic!("{error}"));
    let Some(json) = json else { return };
    let made = parse(plan, json.as_bytes()).unwrap_or_else(|| panic!("{json} is not taken"));
    // Both are in the order of numbers, which the bytes need not be.
    assert_eq!(print(plan, &again), print(plan, &made), "{json}");
    let canonical = print(plan, &made).unwrap_or_else(|| panic!("{json} is not printed again"));
    assert_eq!(canonical.len(), json.len(), "{canonical} of {json}");
}

/// Compares documents made by the reader with those of a walk: whole, in part with fields declared
/// to be lists, and with fields that are only written.
fn documents(plan: &Arc<Plan>, bytes: &[u8]) {
    let text = |doc| String::from_utf8(Datum::from(doc).to_json()).unwrap_or_default();
    let body = Bytes::copy_from_slice(bytes);
    let fields = &plan.message(plan.root).fields;
    let inner = |at: usize| fields.get(at).and_then(|field| plan.message(field.message()?).fields.last());
    let some = fields.iter().enumerate().filter(|(at, _)| at % 2 == 0);
    let parts = Wanted::paths(some.map(|(at, field)| [Some(&*field.name), inner(at).map(|field| &*field.name)].into_iter().flatten()));
    let mut lists = Shape::default();
    fields.iter().for_each(|field| lists.list(&Path(vec![PathStep::Name(field.name.to_string())])));
    let mut written = Wanted::nothing();
    fields.iter().for_each(|field| written.write([&*field.name]));
    let none = Shape::default();
    for (wanted, shape) in [(&Wanted::everything(), &none), (&parts, &lists), (&written, &none), (&written, &lists)] {
        let mut reader = ProtobufReader::new(Arc::clone(plan), Framing::Whole);
        let mut sink = DocSink::new(body.clone(), wanted, Repeated::Group).shaped(shape);
        let walked = reader.walk(&body, 0, &mut sink, &mut Budget::new(&limits())).and_then(|()| sink.finish(bytes.len() as u64));
        let walked = walked.map(|(doc, _)| text(doc)).map_err(|error| error.to_string());
        // Types that came out of order are surveyed from then on.
        plan.messages.iter().for_each(Message::forget_shuffled);
        for _ in 0..2 {
            let reading = Reading { wanted, shape, header: false, utf8: false };
            let read = reader.document(&body, &reading, &mut Budget::new(&limits()));
            let read = read.unwrap_or_else(|| panic!("no document of a message without views"));
            assert_eq!(read.map(|read| text(read.doc)).map_err(|error| error.to_string()), walked);
        }
    }
}

/// Checks a text in the text format, under a schema that the first byte chooses. Accepted text
/// makes bytes that print to the same meaning.
///
/// # Panics
/// A promise is broken.
pub fn text(bytes: &[u8]) {
    let [choice, text @ ..] = bytes else { return };
    let plan = &plans()[usize::from(*choice) % TEXTS.len()];
    let parse = |text: &[u8]| {
        let mut made = Vec::new();
        let outcome = TextParser::new(Arc::clone(plan)).parse(text, 0, &mut made, &mut Budget::new(&limits()));
        checked(outcome, text.len()).map(|()| made)
    };
    let print = |bytes: &[u8]| {
        let mut said = Vec::new();
        let outcome = TextPrinter::new(Arc::clone(plan)).print(bytes, 0, &mut said, &mut Budget::new(&limits()));
        outcome.map(|()| said)
    };
    let Some(made) = parse(text) else { return };
    // A proto3 string in an `Any` of proto2 may not be UTF-8.
    let Ok(said) = print(&made) else { return };
    let again = parse(&said).unwrap_or_else(|| panic!("{} is not taken", String::from_utf8_lossy(&said)));
    assert_eq!(print(&again).as_ref().ok(), Some(&said), "{}", String::from_utf8_lossy(text));
}

/// Checks a JSON text, under a schema that the first byte chooses. Accepted text makes bytes that
/// print to the same meaning.
///
/// # Panics
/// A promise is broken.
pub fn json(bytes: &[u8]) {
    let [choice, text @ ..] = bytes else { return };
    let plan = &plans()[usize::from(*choice) % TEXTS.len()];
    let Some(made) = parse(plan, text) else { return };
    let Some(json) = print(plan, &made) else { return };
    let again = parse(plan, json.as_bytes()).unwrap_or_else(|| panic!("{json} is not taken"));
    assert_eq!(print(plan, &again).as_ref(), Some(&json), "{}", String::from_utf8_lossy(text));
    assert_eq!(again, made, "{json}");
}
