//! The IDL as a schema language, and both protocols bound to it.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use polywire_core::format::{Bound, Format};
use polywire_core::schema::language::{SchemaLanguage, SchemaReader, SchemaText};
use polywire_core::schema::{Presence, Type};
use polywire_core::text::sources::{Loaded, Loader, NoFiles};
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Error, ErrorKind, Limits, Result, Value, Writer};
use polywire_testing::{self as testing, Rng};
use polywire_thrift::idl::Idl;
use polywire_thrift::{BINARY, COMPACT};

const SHOP: &str = r#"
namespace py shop
include "base.thrift"

typedef i64 Cents
const i32 FEW = 3

/** How it stands. */
enum State { OPEN = 1, PAID, GONE = 7 }

// One thing.
struct Item {
  1: required string name,
  2: optional Cents price = 100,
  3: State state = State.OPEN,
  4: list<double> sizes = [],
  5: set<i16> codes,
  6: map<State, binary> seals,
  7: uuid key,
  8: bool fresh = true (deprecated = "never"),
  9: base.Place place,
  10: Choice choice,
  11: i32 few = FEW,
}

union Choice { 1: string text; 2: i64 number; 3: bool flag }

exception Missing { 1: string why }

service Shop extends base.Base {
  Item get(1: string name) throws (1: Missing missing),
  oneway void ping(),
}
"#;

const BASE: &str = "struct Place { 1: i32 row; 2: i32 seat }\nservice Base { void stop(1: bool now) }\n";

/// Texts in memory.
struct Texts(HashMap<&'static str, &'static str>);

impl Loader for Texts {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Loaded { bytes: text.as_bytes().to_vec(), identity: path.to_string() })
    }
}

fn base() -> Texts {
    Texts(HashMap::from([("base.thrift", BASE)]))
}

fn text(text: &str) -> SchemaText<'_> {
    SchemaText { name: "shop.thrift", bytes: text.as_bytes(), identity: "" }
}

fn bound(format: &'static Format, name: Option<&str>) -> Arc<dyn Bound> {
    format.binder.expect("it takes schemas").bind_text(&text(SHOP), &mut base(), name).unwrap_or_else(|error| panic!("{error}"))
}

fn read(bound: &Arc<dyn Bound>, bytes: &[u8]) -> Result<Value> {
    let mut sink = ValueSink::default();
    bound.reader().walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(sink.finish().expect("a message is a value"))
}

fn write(bound: &Arc<dyn Bound>, value: &Value) -> Result<(Vec<u8>, Vec<&'static str>)> {
    let mut writer = bound.writer().expect("it is written");
    value.emit(&mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok((out, writer.losses().iter().map(|lost| lost.what).collect()))
}

fn plain(format: &'static Format, bytes: &[u8]) -> Value {
    let mut sink = ValueSink::default();
    Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep).walk(bytes, 0, &mut sink).unwrap();
    sink.finish().expect("a message is a value")
}

fn item() -> Value {
    Value::record([
        ("name", Value::text("cup")),
        ("price", Value::int(250)),
        ("state", Value::text("GONE")),
        ("sizes", Value::List(vec![Value::F64(1.5)])),
        ("codes", Value::List(vec![Value::int(4), Value::int(-5)])),
        ("seals", Value::Map(vec![(Value::text("PAID"), Value::Bytes(b"ab".to_vec()))])),
        ("key", Value::text("00112233-4455-6677-8899-aabbccddeeff")),
        ("fresh", Value::Bool(false)),
        ("place", Value::record([("row", Value::int(1)), ("seat", Value::int(2))])),
        ("choice", Value::Variant { name: "flag".into(), index: 2, values: vec![Value::Bool(true)] }),
        ("few", Value::int(3)),
    ])
}

#[test]
fn values_have_names_in_both_protocols() {
    for format in [&BINARY, &COMPACT] {
        let bound = bound(format, Some("Item"));
        let (bytes, losses) = write(&bound, &item()).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        assert_eq!(read(&bound, &bytes).unwrap(), item(), "{}", format.name);
        let Value::Record { fields, .. } = plain(format, &bytes) else { panic!("no record") };
        assert_eq!(fields[2], ("3".into(), Value::int(7)));
        assert_eq!(fields[9].1, Value::record([("3", Value::Bool(true))]));
        // Numbers are names as well, and unknown numbers of an enum stay numbers.
        let numbered = Value::record([("1", Value::text("x")), ("3", Value::int(9))]);
        let bytes = write(&bound, &numbered).unwrap().0;
        assert_eq!(read(&bound, &bytes).unwrap(), Value::record([("name", Value::text("x")), ("state", Value::int(9))]));
    }
}

#[test]
fn forms_of_text_formats_are_taken() {
    let bound = bound(&COMPACT, Some("Item"));
    let given = Value::record([
        ("name", Value::text("cup")),
        ("price", Value::F64(250.0)),
        ("sizes", Value::List(vec![Value::int(1)])),
        ("seals", Value::record([("PAID", Value::text("YWI="))])),
        ("choice", Value::record([("number", Value::text("77"))])),
        ("fresh", Value::Null),
        ("unknown", Value::List(vec![Value::Null])),
    ]);
    let (bytes, losses) = write(&bound, &given).unwrap();
    assert_eq!(losses, ["null became an absent field", "field that the schema lacks is left out"]);
    let expected = Value::record([
        ("name", Value::text("cup")),
        ("price", Value::int(250)),
        ("sizes", Value::List(vec![Value::F64(1.0)])),
        ("seals", Value::Map(vec![(Value::text("PAID"), Value::Bytes(b"ab".to_vec()))])),
        ("choice", Value::Variant { name: "number".into(), index: 1, values: vec![Value::int(77)] }),
    ]);
    assert_eq!(read(&bound, &bytes).unwrap(), expected);
}

#[test]
fn values_of_other_types_are_refused() {
    let bound = bound(&BINARY, Some("Item"));
    let with = |name: &str, value: Value| Value::record([("name", Value::text("x")), (name, value)]);
    for (value, seen) in [
        (Value::record([("price", Value::int(1))]), "without its field `name`"),
        (with("price", Value::text("many")), "an i64"),
        (with("codes", Value::List(vec![Value::int(40000)])), "an i16"),
        (with("state", Value::text("LOST")), "the enum `State`"),
        (with("fresh", Value::int(1)), "a bool"),
        (with("key", Value::text("1-2")), "a uuid"),
        (with("place", Value::int(1)), "`base.Place`"),
        (with("sizes", Value::Map(vec![])), "a list"),
        (with("seals", Value::record([("PAID", Value::text("?"))])), "base64"),
        (with("choice", Value::record::<&str>([])), "without a value"),
        (with("choice", Value::record([("text", Value::text("x")), ("flag", Value::Bool(true))])), "another value"),
        (with("choice", Value::record([("none", Value::Null)])), "the field `none`"),
    ] {
        let error = write(&bound, &value).unwrap_err();
        assert!(error.to_string().contains(seen), "{error}");
    }
    let refused = |bytes: &[u8]| -> Error { read(&bound, bytes).unwrap_err() };
    let error = refused(b"\0");
    assert!(error.kind() == ErrorKind::Mismatch && error.to_string().contains("`name`"), "{error}");
    let error = refused(b"\x0b\0\x01\0\0\0\0\x0f\0\x04\x08\0\0\0\x01\0\0\0\x01\0");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Mismatch, Some(10)), "{error}");
    let error = refused(b"\x0b\0\x01\0\0\0\0\x0c\0\x0a\x02\0\x03\x01\x02\0\x03\x01\0\0");
    assert!(error.to_string().contains("a second field of a union"), "{error}");
}

#[test]
fn unknown_fields_go_from_dialect_to_dialect() {
    // Fields 50 and 60 are of a later version, and field 2 has another type.
    let later = b"\x0b\0\x01\0\0\0\x01x\x0b\0\x02\0\0\0\x02hi\x0c\0\x32\x08\0\x01\0\0\0\x05\0\x0f\0\x3c\x02\0\0\0\x02\x01\0\0";
    let (binary, compact) = (bound(&BINARY, Some("Item")), bound(&COMPACT, Some("Item")));
    let over = |from: &Arc<dyn Bound>, to: Box<dyn Writer>, bytes: &[u8]| {
        let (mut writer, mut out) = (to, Vec::new());
        from.reader().walk(bytes, 0, &mut *writer, &mut Budget::new(&Limits::DEFAULT)).and_then(|()| writer.finish(&mut out)).unwrap();
        (out, writer.losses().len())
    };
    let tables = binary.tables().unwrap();
    let shared = COMPACT.binder.unwrap().bind_tables(tables).unwrap();
    let (packed, lost) = over(&binary, shared.relay().unwrap(), later);
    assert_eq!((plain(&COMPACT, &packed), lost), (plain(&BINARY, later), 0));
    assert_eq!(over(&compact, binary.relay().unwrap(), &packed), (later.to_vec(), 0));
    // A plain writer reports them.
    assert_eq!(over(&binary, compact.writer().unwrap(), later).1, 3);
    assert_eq!(read(&binary, later).unwrap(), Value::record([("name", Value::text("x"))]));
}

#[test]
fn envelopes_name_the_method() {
    let shop = bound(&BINARY, Some("Shop"));
    let message = |kind: &str, name: &str, body: Value| {
        let parts = [("name", Value::text(name)), ("sequence", Value::int(4)), ("body", body)];
        Value::record([(kind, Value::record(parts))])
    };
    for (kind, name, body) in [
        ("call", "get", Value::record([("name", Value::text("cup"))])),
        ("reply", "get", Value::record([("success", Value::record([("name", Value::text("cup"))]))])),
        ("reply", "get", Value::record([("missing", Value::record([("why", Value::text("gone"))]))])),
        ("call", "stop", Value::record([("now", Value::Bool(true))])),
        ("exception", "get", Value::record([("message", Value::text("no")), ("type", Value::int(6))])),
        ("oneway", "ping", Value::record::<&str>([])),
    ] {
        let (bytes, losses) = write(&shop, &message(kind, name, body.clone())).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        let Value::Variant { values, .. } = read(&shop, &bytes).unwrap() else { panic!("no envelope") };
        let Value::Record { fields, .. } = &values[0] else { panic!("no record") };
        assert_eq!((&*fields[2].0, &fields[2].1), ("body", &body), "{kind} {name}");
    }
    assert!(BINARY.binder.unwrap().bind_text(&text(SHOP), &mut base(), Some("Nothing")).is_err());
}

#[test]
fn the_common_schema_has_all_types() {
    let read = Idl.reader().unwrap().read(&text(SHOP), &mut base()).unwrap();
    read.schema.check().unwrap();
    let names: Vec<&str> = read.schema.types.iter().map(|named| &*named.name).collect();
    assert_eq!(names, ["State", "Item", "base.Place", "Choice", "Missing"]);
    assert_eq!(read.schema.root.as_deref(), Some("Item"));
    assert_eq!(read.losses.iter().map(|loss| &*loss.at).collect::<Vec<_>>(), ["FEW", "Shop"]);
    let Some(Type::Record(item)) = read.schema.get("Item") else { panic!("no record") };
    assert_eq!((item.fields[0].presence, item.fields[1].presence), (Presence::Required, Presence::Optional));
    assert_eq!(item.fields[1].default, Some(Value::int(100)));
    assert_eq!((item.fields[2].default.clone(), item.fields[10].default.clone()), (Some(Value::text("OPEN")), Some(Value::int(3))));
    assert!(item.fields[7].deprecated);
    assert_eq!(read.schema.types[0].doc, "How it stands.");
    let (written, losses) = Idl.write(&read.schema).unwrap();
    assert_eq!(losses.iter().map(|loss| &*loss.what).collect::<Vec<_>>(), ["its name became `base_Place`"], "{written}");
    let again = Idl.reader().unwrap().read(&text(&written), &mut NoFiles).unwrap();
    let Some(Type::Record(same)) = again.schema.get("Item") else { panic!("no record") };
    assert_eq!(same.fields[..8], item.fields[..8], "{written}");
    assert_eq!(Idl.format(&text(&written)).unwrap(), written);
}

#[test]
fn facebooks_dialect_is_stepped_over() {
    let theirs = r#"
package "meta.com/shop"
include "base.thrift"
@cpp.Type{name = "x"}
struct A {
  @thrift.Box
  1: optional i32 (cpp.type = "int") a = 0x1F;
  2: map<string, list<i32>> (x) b;
}
interaction Talk { void hi(); }
service S {
  performs Talk;
  stream<A> all(1: A a) throws (1: E e);
  A, stream<i32 throws (1: E e)> two();
  sink<A, A> in_(1: i32 n);
}
safe permanent client exception E { 1: string m; }
const A ONE = A{a = 5};
"#;
    let read = Idl.reader().unwrap().read(&text(theirs), &mut base()).unwrap();
    assert_eq!(read.schema.types.iter().map(|named| &*named.name).collect::<Vec<_>>(), ["A", "E"]);
    let Some(Type::Record(a)) = read.schema.get("A") else { panic!("no record") };
    assert_eq!(a.fields[0].default, Some(Value::int(31)));
}

#[test]
fn mistakes_have_their_places() {
    for (given, expected) in [
        ("struct A { 1: B b }", "shop.thrift:1:15: `B` is not a type"),
        ("struct A { 1: i32 a, 1: i32 b }", "the fields `a` and `b` have the number 1"),
        ("struct A { 1: i32 a, 2: i32 a }", "`A` has the field `a` twice"),
        ("struct A {}\nstruct A {}", "shop.thrift:2:8: `A` is defined twice"),
        ("enum E { A, A }", "`A` is in the enum twice"),
        ("enum E { A = 3000000000 }", "beyond 32 bits"),
        ("struct A { 40000: i32 a }", "the number 40000"),
        ("struct A { 1: i32 a = \"x\" }", "a value that is no i32"),
        ("struct A { 1: i8 a = 200 }", "200 is no i8"),
        ("typedef A B\ntypedef B A", "stands for itself"),
        ("service A extends A {}", "extends itself"),
        ("include \"none.thrift\"", "there is no text `none.thrift`"),
        ("struct A { 1: i32 }", "expected the name of a field, saw `}`"),
        ("struct A { 1: list<i32 a }", "expected `>`"),
        ("const i32 A = B", "`B` is no constant"),
    ] {
        // A constant is resolved where it is used.
        let given = if given.starts_with("const") { format!("{given}\nstruct S {{ 1: i32 a = A }}") } else { given.to_string() };
        let found = Idl.reader().unwrap().read(&text(&given), &mut base()).unwrap_err().to_string();
        assert!(found.contains(expected), "{given}: {found}");
    }
    let deep = format!("struct A {{ 1: {}i32{} a }}", "list<".repeat(100), ">".repeat(100));
    assert!(Idl.reader().unwrap().read(&text(&deep), &mut base()).unwrap_err().to_string().contains("64 types"));
}

#[test]
fn any_bytes_by_a_schema_give_a_value_or_an_error() {
    let mut rng = Rng::with_seed(11);
    for format in [&BINARY, &COMPACT] {
        for name in ["Item", "Shop"] {
            let bound = bound(format, Some(name));
            let parts = [("name", Value::text("get")), ("sequence", Value::int(1)), ("body", Value::record([("success", item())]))];
            let whole = if name == "Item" { item() } else { Value::record([("reply", Value::record(parts))]) };
            let start = write(&bound, &whole).unwrap().0;
            let mut read_again = 0;
            for _ in 0..3000 {
                let bytes = testing::mutate(&mut rng, &start);
                let Ok(value) = read(&bound, &bytes) else { continue };
                // A relay's message means the same.
                let (mut relay, mut out) = (bound.relay().expect("a relay"), Vec::new());
                let reader = &mut bound.reader();
                let walked = reader.walk(&bytes, 0, &mut *relay, &mut Budget::new(&Limits::DEFAULT)).and_then(|()| relay.finish(&mut out));
                walked.unwrap_or_else(|error| panic!("{}: {error} of {bytes:02x?}", format.name));
                let again = read(&bound, &out).unwrap_or_else(|error| panic!("{}: {error} of {out:02x?}", format.name));
                testing::assert_same(&value, &again, format.name);
                read_again += 1;
            }
            assert!(read_again > 100, "{read_again}");
        }
    }
}

#[test]
fn any_text_gives_a_schema_or_mistakes() {
    let mut rng = Rng::with_seed(12);
    let reader = Idl.reader().unwrap();
    for _ in 0..3000 {
        let bytes = testing::mutate(&mut rng, SHOP.as_bytes());
        let given = SchemaText { name: "shop.thrift", bytes: &bytes, identity: "" };
        let _ = reader.read(&given, &mut base());
        if let Ok(once) = reader.format(&given) {
            assert_eq!(reader.format(&text(&once)).unwrap(), once);
            let meaning = |given: &SchemaText<'_>| reader.read(given, &mut base()).map(|read| read.schema).ok();
            assert_eq!(meaning(&text(&once)), meaning(&given), "{once}");
        }
    }
}

#[test]
fn constants_of_structs_are_checked() {
    let read = |text: &str| {
        let text = SchemaText { name: "m.thrift", bytes: text.as_bytes(), identity: "" };
        Idl.reader().unwrap().read(&text, &mut NoFiles)
    };
    let refused = |text: &str| read(text).unwrap_err().to_string();
    let types =
        "enum E { X = 1 } struct A { 1: required string name, 2: i32 age, 3: B b } struct B { 1: E e = 1 } union U { 1: i32 a, 2: i32 b } ";
    for (constant, expected) in [
        ("const A a = {'name': 'x', 'size': 1}", "no name of a field of `A`"),
        ("const A a = {'age': 1}", "without its required field `name`"),
        ("const A a = {'name': 'x', 'age': 1.8}", "a value that is no i32"),
        ("const A a = {'name': 'x', 'b': {'e': 2}}", "2 is no number of the enum `E`"),
        ("const U u = {'a': 1, 'b': 2}", "more than one field"),
        ("const E e = 3", "3 is no number of the enum `E`"),
    ] {
        let found = refused(&format!("{types}{constant}"));
        assert!(found.contains(expected), "{constant}: {found}");
    }
    assert!(read(&format!("{types} const A a = {{'name': 'x', 'b': {{'e': E.X}}}} const B b = {{}}")).is_ok());
    // Each constant has the one before in it twice.
    let doubled: String = (1..60).map(|n| format!("typedef list<L{}> L{n} const L{n} c{n} = [c{0}, c{0}] ", n - 1)).collect();
    let found = refused(&format!("typedef i32 L0 const L0 c0 = 1 {doubled}"));
    assert!(found.contains("values of constants"), "{found}");
}

#[test]
fn reserved_words_are_warned_of_and_circles_of_texts_are_refused() {
    let text = SchemaText { name: "m.thrift", bytes: b"const i32 next = 12 struct A { 1: i32 from }", identity: "" };
    let read = Idl.reader().unwrap().read(&text, &mut NoFiles).unwrap();
    let warned: Vec<_> = read.warnings.iter().map(|warning| &*warning.message).collect();
    assert_eq!(warned, ["the name `next` is a reserved word", "the name `from` is a reserved word"]);
    let mut files = Texts(HashMap::from([("a.thrift", "include 'b.thrift'"), ("b.thrift", "include 'a.thrift'")]));
    let text = SchemaText { name: "a.thrift", bytes: b"include 'b.thrift'", identity: "a.thrift" };
    let found = Idl.reader().unwrap().read(&text, &mut files).unwrap_err().to_string();
    assert!(found.contains("`a.thrift` includes itself"), "{found}");
}
