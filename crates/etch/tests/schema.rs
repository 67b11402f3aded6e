//! Messages by a service in NSDL: names, typed values, what is refused, and hostile texts.

mod schema_bytes;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use polywire_core::format::{Bound, Format};
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Loaded, Loader, NoFiles};
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Error, ErrorKind, Limits, Result, Timestamp, Value};
use polywire_etch::{MESSAGE, PACKET, hash, tags};
use polywire_testing::{self as testing, Rng, Shape};

const SHOP: &str = include_str!("../../../testdata/schemas/shop.etch");

/// Texts in memory.
struct Texts(HashMap<&'static str, &'static str>);

impl Loader for Texts {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Loaded { bytes: text.as_bytes().to_vec(), identity: path.to_string() })
    }
}

fn bind_with(format: &'static Format, text: &str, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
    let text = SchemaText { name: "shop.etch", bytes: text.as_bytes(), identity: "shop.etch" };
    format.binder.expect("it takes schemas").bind_text(&text, files, name)
}

fn bind(text: &str, name: Option<&str>) -> Result<Arc<dyn Bound>> {
    bind_with(&MESSAGE, text, &mut NoFiles, name)
}

fn shop() -> Arc<dyn Bound> {
    bind(SHOP, Some("put")).expect("a schema")
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

fn named(name: &str, fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Value::Record { name: name.to_owned(), fields }
}

fn list<const N: usize>(values: [Value; N]) -> Value {
    Value::List(values.to_vec())
}

fn name(name: &str) -> Vec<u8> {
    [&[0x86][..], &hash(name).to_be_bytes()].concat()
}

const GET: &str = "examples.shop.Shop.get";

/// A message of a `get`, with one field.
fn get(field: &str, bytes: &[u8]) -> Vec<u8> {
    [&[3][..], &name(GET), &[1], &name(field), bytes, &[0x81]].concat()
}

#[test]
fn hashes_get_their_names_and_come_back() {
    let bound = shop();
    let state = [&[0x95][..], &name("examples.shop.Shop.State"), &[1], &name("PAID"), &[0x83, 0x81]].concat();
    let states = [&[0x91, 0x95][..], &name("examples.shop.Shop.State"), &[1, 1], &state, &[0x81]].concat();
    let states = [&[0x91, 0x95][..], &name("examples.shop.Shop.State"), &[2, 1], &states, &[0x81]].concat();
    let item =
        [&[0x95][..], &name("examples.shop.Shop.Book"), &[2], &name("price"), &[5], &name("author"), &[0x93, 1, b'a', 0x81]].concat();
    let items = [&[0x91, 0x95][..], &name("examples.shop.Shop.Item"), &[1, 1], &item, &[0x81]].concat();
    let notes = [&[0x95][..], &name("_Etch_List"), &[1], &name("values"), &[0x91, 0x96, 1, 1, 7, 0x81, 0x81]].concat();
    let parts = [
        (name("items"), items),
        (name("states"), states),
        (name("seal"), vec![0x8b, 2, 1, 2]),
        (name("weight"), vec![0x88, 0x3f, 0, 0, 0]),
        (name("fresh"), vec![0x82]),
        (name("notes"), notes),
        (vec![9], vec![0x92]),
    ];
    let parts: Vec<u8> = parts.iter().flat_map(|(name, value)| [&name[..], value].concat()).collect();
    let result = [&[0x95][..], &name("examples.shop.Shop.Box"), &[7], &parts, &[0x81]].concat();
    let message = [
        &[3][..],
        &name("examples.shop.Shop._result_get"),
        &[3],
        &name("_messageId"),
        &[2],
        &name("_inReplyTo"),
        &[1],
        &name("result"),
        &result,
        &[0x81],
    ]
    .concat();
    let book = named("examples.shop.Shop.Book", vec![("price", Value::int(5)), ("author", Value::text("a"))]);
    let parcel = named(
        "",
        vec![
            ("items", list([book])),
            ("states", list([list([Value::text("PAID")])])),
            ("seal", Value::Bytes(vec![1, 2])),
            ("weight", Value::F32(0.5)),
            ("fresh", Value::Bool(false)),
            ("notes", list([Value::int(7)])),
            ("9", Value::text("")),
        ],
    );
    let expected =
        named("examples.shop.Shop._result_get", vec![("_messageId", Value::int(2)), ("_inReplyTo", Value::int(1)), ("result", parcel)]);
    testing::assert_same(&read(&bound, &message).expect("a message"), &expected, "reply");
    assert_eq!(write(&bound, &expected).expect("it is written"), (message.clone(), vec![]));
    // A packet is of the same tables.
    let tables = bound.tables().expect("tables");
    let packets = PACKET.binder.expect("it takes schemas").bind_tables(tables).expect("tables of Etch");
    let packet = [&b"\xde\xad\xbe\xef"[..], &(message.len() as u32).to_be_bytes(), &message].concat();
    testing::assert_same(&read(&packets, &packet).expect("a packet"), &expected, "packet");
}

/// The bytes are those that Etch's Java classes wrote (`tools/judge-etch`).
#[test]
fn a_message_of_java_has_names() {
    let bytes = include_bytes!("../../../testdata/corpus/etch/get.etchb");
    let value = read(&shop(), bytes).expect("a message");
    let Value::Record { name, fields } = &value else { panic!("{value:?}") };
    assert_eq!(name, GET);
    let names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["_messageId", "state", "blob", "column", "row", "name", "grid"]);
    testing::assert_same(&fields[1].1, &Value::text("OPEN"), "state");
    testing::assert_same(&fields[5].1, &Value::text("größe"), "name");
    testing::assert_same(&fields[6].1, &list([]), "grid");
    assert_eq!(write(&shop(), &value).expect("it is written"), (bytes.to_vec(), vec![]));
}

#[test]
fn values_without_names_have_declared_types() {
    let bound = shop();
    let item =
        Value::record([("name", Value::text("n")), ("sizes", list([Value::int(1), Value::F64(0.5)])), ("state", Value::text("OPEN"))]);
    let given = Value::record([
        ("item", item),
        ("labels", Value::record([("k", Value::int(7))])),
        ("since", Value::Time(Timestamp::new(1, 0).expect("a moment"))),
        ("marks", list([Value::text("m")])),
        ("more", Value::record([("x", Value::Null)])),
    ]);
    let (bytes, losses) = write(&bound, &given).expect("it is written");
    assert_eq!(losses, [""; 0]);
    let item =
        named("", vec![("name", Value::text("n")), ("sizes", list([Value::F64(1.0), Value::F64(0.5)])), ("state", Value::text("OPEN"))]);
    let expected = named(
        "",
        vec![
            ("item", item),
            ("labels", Value::Map(vec![(Value::text("k"), Value::int(7))])),
            ("since", Value::Time(Timestamp::new(1, 0).expect("a moment"))),
            ("marks", list([Value::text("m")])),
            ("more", Value::record([("x", Value::Null)])),
        ],
    );
    testing::assert_same(&read(&bound, &bytes).expect("a message"), &expected, "put");
    // Without a schema, the same bytes have digits.
    let plain = testing::value_of(&MESSAGE, &bytes).expect("a message");
    let Value::Record { name, fields } = &plain else { panic!("{plain:?}") };
    assert_eq!(*name, hash("examples.shop.Shop.put").to_string());
    assert_eq!(fields[0].0, hash("item").to_string());
}

#[test]
fn values_of_other_types_are_refused() {
    let bound = shop();
    for (field, bytes, kind, seen) in [
        ("row", &[0x85, 0, 200][..], ErrorKind::Range, "expected byte, saw the integer 200"),
        ("column", &[0x86, 0, 1, 0, 0], ErrorKind::Range, "expected short, saw the integer 65536"),
        ("name", &[5], ErrorKind::Mismatch, "expected string, saw an integer"),
        ("grid", &[0x92], ErrorKind::Mismatch, "expected int[][], saw a string"),
        ("state", &[0x93, 1, b'x'], ErrorKind::Mismatch, "expected examples.shop.Shop.State, saw a string"),
        ("blob", &[0x83], ErrorKind::Mismatch, "expected examples.shop.Shop.Blob, saw a truth value"),
    ] {
        let error = read(&bound, &get(field, bytes)).expect_err("another type");
        assert_eq!((error.kind(), error.offset()), (kind, Some(12)), "{error}");
        assert!(error.to_string().contains(seen), "{error}");
    }
    for (field, value, seen) in [
        ("row", Value::int(-129), "expected byte, saw the integer -129"),
        ("state", Value::text("LOST"), "expected one of GONE, OPEN, PAID, of examples.shop.Shop.State, saw the enumerator `LOST`"),
        ("grid", Value::text("x"), "expected int[][]"),
        ("name", list([]), "expected string, saw a list"),
        ("blob", list([]), "expected examples.shop.Shop.Blob"),
        ("name", Value::record([("a", Value::Null)]), "expected string, saw a record"),
    ] {
        let error = write(&bound, &named(GET, vec![(field, value)])).expect_err("another type");
        assert!(error.to_string().contains(seen), "{error}");
    }
    // An array of another type than the declared one keeps its mark, and so comes back.
    for (bytes, code) in [(&[0x91, 0x96, 1, 1, 5, 0x81][..], tags::array(0x96, 1)), (&[0x91, 0x85, 2, 0, 0x81], tags::array(0x85, 2))] {
        let message = get("grid", bytes);
        let value = read(&bound, &message).expect("a message");
        let Value::Record { fields, .. } = &value else { panic!("{value:?}") };
        assert!(matches!(&fields[0].1, Value::Tagged { code: found, .. } if *found == code), "{value:?}");
        assert_eq!(write(&bound, &value).expect("it is written"), (message, vec![]));
    }
    // An exception stands for a result.
    let reply = |value| named("examples.shop.Shop._result_state", vec![("result", value)]);
    for value in [named("examples.shop.Shop.Sold", vec![("why", Value::text("w")), ("code", Value::int(1))]), Value::text("GONE")] {
        let (bytes, losses) = write(&bound, &reply(value.clone())).expect("it is written");
        assert_eq!(losses, [""; 0]);
        testing::assert_same(&read(&bound, &bytes).expect("a message"), &reply(value), "reply");
    }
    for (value, loss) in [
        (named("examples.shop.Shop.State", vec![("OPEN", Value::Bool(true))]), "record of an enumerator reads as text"),
        (Value::Tagged { space: "x".into(), code: 1, value: Box::new(Value::text("OPEN")) }, "tag dropped"),
    ] {
        assert_eq!(write(&bound, &named(GET, vec![("state", value)])).expect("it is written").1, [loss]);
    }
    assert!(read(&bound, b"\x03\x92\x00\x81").expect_err("no type").to_string().contains("the name of a type"));
}

#[test]
fn numbers_become_what_is_declared() {
    let bound = bind("module m service S { void a(float f, double d, long[] wide) }", None).expect("a schema");
    let message = |field: &str, value: &Value| Value::record([(field, value.clone())]);
    let decimal = |digits: &str| Value::Decimal(digits.into());
    let (float, double) = ("number rounded to the nearest 32-bit float", "decimal rounded to the nearest 64-bit float");
    for (field, value, expected, losses) in [
        ("f", Value::int(3), Value::F32(3.0), &[][..]),
        ("f", Value::F64(0.5), Value::F32(0.5), &[]),
        ("f", Value::F64(0.1), Value::F32(0.1), &[float]),
        ("f", Value::int((1 << 24) + 1), Value::F32(16_777_216.0), &[float]),
        ("f", decimal("0.1"), Value::F32(0.1), &[float]),
        ("d", Value::F32(0.1), Value::F64(f64::from(0.1f32)), &[]),
        ("d", Value::int(-7), Value::F64(-7.0), &[]),
        ("d", Value::UInt(u64::MAX), Value::F64(18_446_744_073_709_551_616.0), &[double]),
        ("d", decimal("0.1"), Value::F64(0.1), &[double]),
        ("wide", list([Value::int(i64::MIN), Value::Null]), list([Value::int(i64::MIN), Value::Null]), &[]),
    ] {
        let (bytes, found) = write(&bound, &message(field, &value)).expect("it is written");
        assert_eq!(found, losses, "{value:?}");
        testing::assert_same(&read(&bound, &bytes).expect("a message"), &message(field, &expected), field);
    }
    for (field, value) in [("d", Value::text("1")), ("wide", list([Value::UInt(u64::MAX)])), ("f", Value::Bool(true))] {
        assert!(write(&bound, &message(field, &value)).is_err(), "{value:?}");
    }
    // Integers of a sender that has another schema are floats, if they can be.
    let sent =
        |number: i64| testing::write(&MESSAGE, &named(&hash("m.S.a").to_string(), vec![(&hash("d").to_string(), Value::int(number))]));
    testing::assert_same(&read(&bound, &sent(5).expect("bytes")).expect("a message"), &message("d", &Value::F64(5.0)), "d");
    assert_eq!(read(&bound, &sent(1 << 60 | 1).expect("bytes")).expect_err("no double").kind(), ErrorKind::Mismatch);
}

#[test]
fn messages_are_chosen_by_name() {
    let one = "module m service S { void a(int x) @Oneway void b() }";
    for (text, chosen, expected) in [
        (SHOP, Some("_result_state"), Ok("examples.shop.Shop._result_state")),
        (SHOP, Some("examples.shop.Shop.ping"), Ok("examples.shop.Shop.ping")),
        ("module m; service S { void a(int x); }", None, Ok("m.S.a")),
        (one, None, Err("choose the message by `--type`")),
    ] {
        let bound = bind(text, chosen).expect("a schema");
        let written = write(&bound, &Value::record([("x", Value::Null)])).and_then(|(bytes, _)| {
            testing::assert_same(&read(&bound, &bytes)?, &Value::record([("x", Value::Null)]), "its type is implied");
            testing::value_of(&MESSAGE, &bytes)
        });
        match (written, expected) {
            (Ok(Value::Record { name, .. }), Ok(expected)) => assert_eq!(name, hash(expected).to_string()),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (other, _) => panic!("{other:?}"),
        }
    }
    let unknown = |name| bind(one, Some(name)).err().expect("no message").to_string();
    assert!(unknown("_result_b").contains("one of m.S.a, m.S.b, m.S._result_a"), "{}", unknown("_result_b"));
}

#[test]
fn services_are_mixed_in_and_texts_included() {
    let files = || {
        Texts(HashMap::from([
            ("Base.etch", "module one.two service Base { mixin Deep struct Point(int x) void stop(Point p) }"),
            ("one/two/Deep.etch", "module wrong service Deep { }"),
            ("Deep.etch", "module deep @Oneway service Deep { enum Color(RED) void paint(Color c) @Oneway(false) void ask() }"),
            ("more.etchinc", "struct More(Point p) extends Point include \"last.etchinc\""),
            ("last.etchinc", "void last(deep.Deep.Color c)"),
            ("self.etchinc", "include \"self.etchinc\""),
        ]))
    };
    let text = "module m service S { mixin one.two.Base include \"more.etchinc\"; void go(More m) }";
    let bound = bind_with(&MESSAGE, text, &mut files(), None).expect("a schema");
    for value in [
        named("m.S.last", vec![("c", Value::text("RED"))]),
        named("deep.Deep.paint", vec![("c", Value::text("RED"))]),
        named("one.two.Base._result_stop", vec![]),
        named("deep.Deep._result_ask", vec![]),
        named("m.S.go", vec![("m", named("", vec![("x", Value::int(1))]))]),
    ] {
        let (bytes, losses) = write(&bound, &value).expect("it is written");
        assert_eq!((bytes[1], losses), (0x86, vec![]), "{value:?}");
        testing::assert_same(&read(&bound, &bytes).expect("a message"), &value, "mixed in");
    }
    // A message of a service that is one way has no reply.
    let (bytes, _) = write(&bound, &named("deep.Deep._result_paint", vec![])).expect("it is written");
    assert_eq!(bytes[1], 0x93);
    for (text, expected) in [
        ("module m service S { include \"none\" }", "shop.etch:1:30: there is no text `none`"),
        ("module m service S { mixin a.None }", "shop.etch:1:28: there is no text `None.etch`"),
        ("module m service S { include \"self.etchinc\" }", "self.etchinc:1:9: the text `self.etchinc` includes itself"),
        ("module m service S { mixin Base struct Point(int y) void a(Point p) }", "1:60: several services have the type `Point`"),
    ] {
        let error = bind_with(&MESSAGE, text, &mut files(), None).err().expect("a mistake").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn mistakes_of_texts_have_their_place() {
    for (text, expected) in [
        ("", "shop.etch:1:1: expected `module`, saw the end of the text"),
        ("module a.b\nservice S {\n\tstruct T(int)\n}", "3:14: expected the name of a parameter, saw `)`"),
        ("module a service S.T {}", "1:18: expected the name of the service"),
        ("module a service S { int int() }", "1:26: expected the name of a message"),
        ("module a service S { const object X = 1 }", "1:28: expected the type of a constant"),
        ("module a service S { const int X = Y }", "1:36: expected true, false, a number or a string"),
        ("module a service S { enum E() }", "1:29: expected an enumerator"),
        ("module a service S { @Oneway(1) void a() }", "1:23: `@Oneway(1)`"),
        ("module a service S {} x", "1:23: expected the end of the text"),
        ("module a service S { void a(void x) }", "1:29: expected a type"),
        ("module a service S { void a(int[][][][][][][][][][] x) }", "1:29: an array of more than 9 dimensions"),
        ("module a service S { void a(T t) }", "1:29: the type `T` is not declared"),
        ("module a service S { exception T() void a(T t) }", "1:43: `T` is a message or an exception"),
        ("module a service S { const int T = 1 void a(T t) }", "1:45: `T` is a constant"),
        ("module a service S { struct T() void a() throws T }", "1:49: `T`, which is no exception, is thrown"),
        ("module a service S { struct T() exception U() extends T }", "1:55: `T`, which is no exception, is extended by one"),
        ("module a service S { struct T() extends U }", "1:41: `U` is not declared"),
        ("module a service S { struct T() extends U struct U() extends T }", "1:41: `T` extends itself"),
        ("module a service S { struct T(int a) extends U struct U(int a) }", "1:46: `T` extends `U`, and has its parameter `a` again"),
        ("module a service S { struct T() enum T(A) }", "1:38: `T` is declared twice"),
        ("module a service S { struct List() }", "1:29: `List` is declared, which every service has"),
        ("module a service S { enum E(A, A) }", "1:32: the enumerator `A` is there twice"),
        ("module a service S { void a(int x, int x) }", "1:40: the parameter `x` is there twice"),
    ] {
        let error = bind(text, None).err().unwrap_or_else(|| panic!("{text}")).to_string();
        assert!(error.contains(expected), "{text}\n{error}");
    }
    let deep = |levels: usize| {
        let chain: String = (1..levels).map(|n| format!("struct T{n}(int a{n}) extends T{} ", n - 1)).collect();
        bind(&format!("module a service S {{ struct T0(int a0) {chain} }}"), None).err().map(|error| error.to_string())
    };
    assert_eq!(deep(64), None);
    assert!(deep(70).is_some_and(|error| error.contains("extends more than 64 types")));
}

/// Names that have the same hash.
#[test]
fn names_of_one_hash_are_refused() {
    let mut seen: HashMap<i32, String> = HashMap::new();
    let mut rng = Rng::with_seed(3);
    let (one, other) = loop {
        let name: String = (0..8).map(|_| char::from(rng.u8(b'a'..=b'z'))).collect();
        match seen.insert(hash(&name), name.clone()) {
            Some(other) if other != name => break (name, other),
            _ => assert!(seen.len() < 2_000_000),
        }
    };
    let refused = |text: &str| bind(text, None).err().map(|error: Error| error.to_string());
    let fields = refused(&format!("module a service S {{ void a(int {one}, int {other}) }}"));
    assert!(fields.as_ref().is_some_and(|error| error.contains("have the same hash")), "{fields:?}");
    // Hashes of types go on from those of the same start.
    let types = refused(&format!("module a service S {{ struct X{one}() struct Y{other}() }}"));
    assert_eq!(types, None);
}

#[test]
fn hostile_bytes_break_nothing() {
    let bound = shop();
    let mut rng = Rng::with_seed(5);
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    let fields =
        ["item", "labels", "since", "marks", "more", "name", "row", "grid", "state", "result", "sizes", "price", "weight", "notes"];
    let types = ["put", "get", "_result_get", "_result_state", "Item", "Box", "State"].map(|name| format!("examples.shop.Shop.{name}"));
    for n in 0..600 {
        let mut fields_of =
            |inner: Value| (0..rng.usize(1..4)).map(|_| (fields[rng.usize(..fields.len())].to_owned(), inner.clone())).collect::<Vec<_>>();
        let inner = Value::Record { name: types[n % 7].clone(), fields: fields_of(Value::Null) };
        let fields = fields_of(inner);
        let mut made = Value::Record { name: types[(n / 7) % 7].clone(), fields };
        if n % 3 == 0 {
            made = named(&types[n % 5], vec![("more", testing::value(&mut rng, Shape::ANY)), ("state", Value::text("OPEN"))]);
        }
        corpus.extend(write(&bound, &made).ok().map(|(bytes, _)| bytes));
    }
    assert!(corpus.len() > 200, "{}", corpus.len());
    let mut whole = 0;
    for n in 0..20_000 {
        let start = &corpus[n % corpus.len()];
        let bytes = if n < corpus.len() { start.clone() } else { testing::mutate(&mut rng, start) };
        let bytes = if n % 4 == 3 { [&b"\xde\xad\xbe\xef"[..], &(bytes.len() as u32).to_be_bytes(), &bytes].concat() } else { bytes };
        whole += usize::from(schema_bytes::by_schema(&bytes));
    }
    assert!(whole > 2000, "{whole}");
}

#[test]
fn hostile_texts_break_nothing() {
    let mut rng = Rng::with_seed(6);
    let mut whole = 0;
    for end in 0..=SHOP.len() {
        whole += usize::from(schema_bytes::text(&SHOP.as_bytes()[..end]));
    }
    for _ in 0..6000 {
        whole += usize::from(schema_bytes::text(&testing::mutate(&mut rng, SHOP.as_bytes())));
    }
    assert!(whole > 300, "{whole}");
}
