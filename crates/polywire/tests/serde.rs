//! Types of one's own come back from every format that can be written.

use std::collections::BTreeMap;

use polywire_core::{Dialect, ErrorKind, Format, Limits, Timestamp, Value};
use polywire_formats::registry::{self, FORMATS};
use polywire_formats::serde::{DEPTH, Messages, StreamWriter, TypedReader, TypedWriter, from_slice, to_vec};
use serde::{Deserialize, Serialize};

/// A message as programs have them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    customer: String,
    code: String,
    total: f64,
    rate: f32,
    open: bool,
    balance: i32,
    state: State,
    method: Method,
    address: Address,
    lines: Vec<Line>,
    one: Vec<String>,
    scores: BTreeMap<String, f64>,
    by_year: BTreeMap<u16, i64>,
    #[serde(with = "serde_bytes")]
    seal: Vec<u8>,
    due: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    discount: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum State {
    Open,
    Paid { cents: u64 },
    Sent(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Method {
    InvoiceByMail,
    Card,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Address {
    street: String,
    zip: String,
    place: (f64, f64),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    article: String,
    count: u16,
}

fn orders() -> Vec<Order> {
    let line = |article: &str, count| Line { article: article.into(), count };
    let order = Order {
        id: 9_007_199_254_740_991,
        customer: "Ann Ünal & <Sons>, \"Ltd\"".into(),
        code: "0042".into(),
        total: 1249.5,
        rate: 0.1,
        open: true,
        balance: -17,
        state: State::Paid { cents: 124_950 },
        method: Method::InvoiceByMail,
        address: Address { street: "12, Main St\nBackyard".into(), zip: "12345".into(), place: (52.5, -0.0625) },
        lines: vec![line("pen", 3), line("ink", 1)],
        one: vec!["true".into()],
        scores: BTreeMap::from([("a".into(), 1.0), ("b c".into(), -2.5)]),
        by_year: BTreeMap::from([(2025, -1), (2026, 1 << 40)]),
        seal: vec![0, 255, 10, 13, 65],
        due: Timestamp::new(1_790_000_000, 250_000_000).unwrap(),
        note: Some("none".into()),
        discount: Some(3.0),
    };
    let other =
        Order { state: State::Open, method: Method::Card, lines: vec![line("one alone", 1)], note: None, discount: None, ..order.clone() };
    vec![order, Order { state: State::Sent("by post".into()), ..other.clone() }, other]
}

/// Formats whose messages are flat: a value with parts is a loss.
const FLAT: &[&str] = &["csv", "tsv"];

/// Formats whose messages are records, and whose fields have numbers: other names are a loss.
const NUMBERED: &[&str] = &["thrift-binary", "thrift-compact", "thrift-json"];

/// Formats whose messages have an envelope: another value becomes a part of one.
const ENVELOPED: &[(&str, &str)] =
    &[("amf-packet", "value became the body of a message"), ("sol", "value became the data of a shared object without a name")];

/// Formats whose messages are records of named fields, and no maps.
const RECORDS: &[&str] = &["etch", "etch-packet"];

/// Reports whether the messages of a format have a shape that a type's values do not have.
fn has_own_shape(format: &Format) -> bool {
    NUMBERED.contains(&format.name) || ENVELOPED.iter().any(|(name, _)| *name == format.name)
}

/// Formats that are read and never written.
const READ_ONLY: &[&str] = &["ber", "x509"];

#[test]
fn a_struct_comes_back_from_every_format_that_is_written() {
    let mut exceptions = Vec::new();
    for &format in FORMATS {
        let Some(_) = format.writer else {
            assert!(format.binder.is_some() || READ_ONLY.contains(&format.name), "{}", format.name);
            assert_eq!(to_vec(&orders()[0], format).unwrap_err().kind(), ErrorKind::Unsupported);
            continue;
        };
        for order in orders() {
            match to_vec(&order, format) {
                Ok(bytes) => {
                    let read: Order = from_slice(&bytes, format, &Limits::DEFAULT)
                        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)));
                    assert_eq!(read, order, "{}", format.name);
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Loss, "{error}");
                    exceptions.push((format.name, error.seen_text().to_string()));
                }
            }
        }
    }
    exceptions.dedup();
    let flat = FLAT.iter().map(|name| (*name, "value with parts became JSON text".to_string()));
    let numbered = NUMBERED.iter().map(|name| (*name, "name of a field became its place".to_string()));
    let enveloped = ENVELOPED.iter().map(|(name, loss)| (*name, (*loss).to_string()));
    assert_eq!(exceptions, flat.chain(numbered).chain(enveloped).collect::<Vec<(&str, String)>>());
}

#[test]
fn fields_that_are_named_by_numbers_come_back_from_formats_with_numbers() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Numbered {
        #[serde(rename = "1")]
        id: i64,
        #[serde(rename = "2")]
        name: String,
        #[serde(rename = "5")]
        tags: Vec<String>,
        #[serde(rename = "7", skip_serializing_if = "Option::is_none")]
        inner: Option<Box<Numbered>>,
    }

    let numbered = |inner| Numbered { id: 1 << 40, name: "größe".into(), tags: vec!["a".into(), "b".into()], inner };
    let value = numbered(Some(Box::new(numbered(None))));
    for format in NUMBERED {
        let bytes = to_vec(&value, *format).unwrap();
        assert_eq!(from_slice::<Numbered>(&bytes, *format, &Limits::DEFAULT).unwrap(), value, "{format}");
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    id: u32,
    name: String,
    code: String,
    ratio: f64,
    ok: bool,
    method: Method,
    note: Option<String>,
}

fn rows() -> Vec<Row> {
    let row = |id, name: &str, note: Option<&str>| Row {
        id,
        name: name.into(),
        code: format!("{id:03}"),
        ratio: f64::from(id) / 4.0,
        ok: id % 2 == 0,
        method: Method::Card,
        note: note.map(Into::into),
    };
    vec![row(1, "Ann, \"the\" first", Some("a")), row(2, "42", None), row(3, "true\tx", Some("multi\nline")), row(4, "", Some("x"))]
}

#[test]
fn streams_come_back_from_every_format_that_is_written() {
    for &format in FORMATS {
        if format.writer.is_none() || has_own_shape(format) {
            continue;
        }
        let mut writer = TypedWriter::new(format).unwrap();
        writer.begin_stream();
        let mut bytes = Vec::new();
        let kept: Vec<Row> = rows().into_iter().filter(|row| format.name != "bencode" || row.note.is_some()).collect();
        for row in &kept {
            writer.write(row, &mut bytes).unwrap_or_else(|error| panic!("{error}"));
        }
        let read: Result<Vec<Row>, _> = Messages::new(&bytes[..], format).unwrap().collect();
        let read = read.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)));
        assert_eq!(read, kept, "{}", format.name);
    }
}

#[test]
fn what_a_format_cannot_hold_is_an_error_unless_losses_are_accepted() {
    for (format, what) in [("json", "NaN or infinity became null"), ("json-canonical", "NaN or infinity became null")] {
        let format = registry::find(format).unwrap();
        let error = to_vec(&[f64::NAN], format).unwrap_err();
        assert_eq!((error.kind(), error.seen_text()), (ErrorKind::Loss, what));
        let mut writer = TypedWriter::new(format).unwrap().lossy(true);
        let mut out = b"before".to_vec();
        writer.write(&[f64::NAN], &mut out).unwrap();
        assert_eq!(out, b"before[null]");
        assert_eq!(writer.losses().len(), 1);
        let mut strict = TypedWriter::new(format).unwrap();
        assert!(strict.write(&[f64::NAN], &mut out).is_err() && out == b"before[null]");
        strict.write(&[1.5], &mut out).unwrap();
        assert_eq!(out, b"before[null][1.5]");
    }
    let bencode = registry::find("bencode").unwrap();
    assert_eq!(to_vec(&None::<u8>, bencode).unwrap_err().seen_text(), "null became empty text");
    // A type brings bytes back from base64; a value of any kind does not.
    let json = registry::find("json").unwrap();
    assert_eq!(to_vec(&serde_bytes::Bytes::new(b"\x01\x02"), json).unwrap(), b"\"AQI=\"");
    assert_eq!(to_vec(&Value::Bytes(vec![1, 2]), json).unwrap_err().kind(), ErrorKind::Loss);
}

#[test]
fn values_of_any_kind_come_back_from_formats_that_hold_them() {
    let mut rng = fastrand::Rng::with_seed(45);
    for name in ["xml", "cbor"] {
        let format = registry::find(name).unwrap();
        let mut kept = 0;
        for _ in 0..500 {
            let value = polywire_testing::value(&mut rng, polywire_testing::Shape::ANY);
            let Ok(bytes) = to_vec(&value, format) else { continue };
            let read: Value = from_slice(&bytes, format, &Limits::DEFAULT).unwrap();
            let expected = polywire_testing::value_of(format, &bytes).unwrap();
            assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{name}");
            kept += 1;
        }
        assert!(kept > 100, "{name}: {kept}");
    }
}

#[test]
fn documents_of_other_programs_are_read_as_types() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Shop {
        shop: Contents,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Contents {
        #[serde(rename = "@id")]
        id: u32,
        item: Vec<Item>,
        open: bool,
        zip: String,
        note: Option<String>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Item {
        #[serde(rename = "@qty", default)]
        qty: Option<u8>,
        #[serde(rename = "#text")]
        name: String,
    }
    let xml = registry::find("xml").unwrap();
    let text = br#"<shop id="7"><item qty="2">pen</item><open>true</open><item qty="1">ink</item><zip>01234</zip></shop>"#;
    let item = |qty, name: &str| Item { qty: Some(qty), name: name.into() };
    let contents = Contents { id: 7, item: vec![item(2, "pen"), item(1, "ink")], open: true, zip: "01234".into(), note: None };
    assert_eq!(from_slice::<Shop>(text, xml, &Limits::DEFAULT).unwrap(), Shop { shop: contents });
    let text = br#"<shop id="7"><item qty="2">pen</item><open>false</open><zip>x</zip><note>a</note></shop>"#;
    let one = from_slice::<Shop>(text, xml, &Limits::DEFAULT).unwrap().shop;
    assert_eq!((one.item.len(), one.open, one.note.as_deref()), (1, false, Some("a")));

    let twice = br#"<shop id="7"><zip>x</zip><item>a</item><open>true</open><zip>y</zip></shop>"#;
    let error = from_slice::<Shop>(twice, xml, &Limits::DEFAULT).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::DoubledKey, Some(56)), "{error}");
}

#[test]
fn many_names_that_repeat_take_linear_time() {
    // With a search per field, this takes minutes.
    let names: String = (0..200_000).map(|at| format!("<n{at}/>")).collect();
    let text = format!("<root>{names}{names}</root>");
    let xml = registry::find("xml").unwrap();
    let read: BTreeMap<String, BTreeMap<String, Vec<String>>> = from_slice(text.as_bytes(), xml, &Limits::DEFAULT).unwrap();
    assert_eq!(read["root"].len(), 200_000);
    assert!(read["root"].values().all(|values| values.len() == 2));
}

#[test]
fn errors_have_place_and_path() {
    let json = registry::find("json").unwrap();
    let cbor = registry::find("cbor").unwrap();
    let yaml = registry::find("yaml").unwrap();
    type Wanted = BTreeMap<String, Vec<u8>>;
    let error = from_slice::<Wanted>(b"{\"a\": [1],\n \"b\": [2, 300]}", json, &Limits::DEFAULT).unwrap_err();
    assert_eq!(error.to_string(), "json: expected u8, saw the integer `300`, at byte 21, in b[1]");
    assert_eq!(error.place().map(|place| (place.line, place.column)), Some((2, 11)));
    let error = from_slice::<Wanted>(b"\xa1\x61b\x82\x02\x19\x01\x2c", cbor, &Limits::DEFAULT).unwrap_err();
    assert_eq!(error.to_string(), "cbor: expected u8, saw the integer `300`, at byte 5, in b[1]");
    let error = from_slice::<Wanted>(b"a:\n  - 1\nb:\n  - 300\n", yaml, &Limits::DEFAULT).unwrap_err();
    assert_eq!(error.to_string(), "yaml: expected u8, saw the integer `300`, at byte 16, in b[0]");
    for (bytes, kind) in
        [(&b""[..], ErrorKind::Truncated), (b"{} {}", ErrorKind::Trailing), (b"{}x", ErrorKind::Trailing), (b"[", ErrorKind::Truncated)]
    {
        assert_eq!(from_slice::<Value>(bytes, json, &Limits::DEFAULT).unwrap_err().kind(), kind, "{bytes:?}");
    }
    assert_eq!(from_slice::<Value>(b"a: 1\n---\nb: 2\n", yaml, &Limits::DEFAULT).unwrap_err().kind(), ErrorKind::Trailing);
    assert_eq!(from_slice::<Value>(b"", yaml, &Limits::DEFAULT).unwrap_err().kind(), ErrorKind::Truncated);
    assert_eq!(from_slice::<u8>(b"\xef\xbb\xbf7", json, &Limits::DEFAULT).unwrap(), 7);
}

#[test]
fn deep_messages_are_an_error_and_no_overflow() {
    for name in ["json", "cbor", "msgpack", "yaml", "xml", "bson", "bencode"] {
        let format = registry::find(name).unwrap();
        let deep = match name {
            "json" => b"[".repeat(100_000),
            "cbor" => b"\x81".repeat(100_000),
            "msgpack" => b"\x91".repeat(100_000),
            "yaml" => b"[".repeat(100_000),
            "xml" => b"<a>".repeat(100_000),
            "bencode" => b"l".repeat(100_000),
            _ => continue,
        };
        assert!(from_slice::<Value>(&deep, format, &Limits::DEFAULT).is_err(), "{name}");
        let mut reader = TypedReader::new(format).unwrap().walking();
        assert!(reader.read::<Value>(&deep).is_err(), "{name}");
    }
    // The deepest message that is read fits a thread's stack of 2 MB, in debug builds too.
    let json = registry::find("json").unwrap();
    let depth = DEPTH as usize;
    let deepest = [b"[".repeat(depth), b"]".repeat(depth)].concat();
    let value: Value = from_slice(&deepest, json, &Limits::DEFAULT).unwrap();
    assert_eq!(to_vec(&value, json).unwrap(), deepest);
    assert_eq!(TypedReader::new(json).unwrap().walking().read::<Value>(&deepest).unwrap(), value);
    let deeper = [b"[".repeat(depth + 1), b"]".repeat(depth + 1)].concat();
    assert_eq!(from_slice::<Value>(&deeper, json, &Limits::DEFAULT).unwrap_err().kind(), ErrorKind::Limit);
    assert!(TypedReader::new(json).unwrap().depth(DEPTH + 1).read::<Value>(&deeper).is_ok());
}

#[test]
fn other_libraries_take_values_too() {
    let value = Value::record([
        ("text", Value::text("a")),
        ("list", Value::List(vec![Value::int(-1), Value::F64(0.5), Value::Null, Value::Bool(true)])),
        ("big", Value::Big("18446744073709551616".into())),
    ]);
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(json, r#"{"text":"a","list":[-1,0.5,null,true],"big":"18446744073709551616"}"#);
    let plain: Value = serde_json::from_str(r#"{"a":[1,-2,null,"x",{"b":false}]}"#).unwrap();
    let inner = Value::record([("b", Value::Bool(false))]);
    let list = Value::List(vec![Value::int(1), Value::int(-2), Value::Null, Value::text("x"), inner]);
    assert_eq!(plain, Value::record([("a", list)]));
    let moment = Timestamp::new(5, 0).unwrap();
    assert_eq!(serde_json::to_string(&moment).unwrap(), "\"1970-01-01T00:00:05Z\"");
    assert_eq!(serde_json::from_str::<Timestamp>("\"1970-01-01T01:00:05+01:00\"").unwrap(), moment);
    let bytes = rmp_serde::to_vec_named(&value).unwrap();
    assert!(matches!(rmp_serde::from_slice::<Value>(&bytes).unwrap(), Value::Record { .. }));
}

#[test]
fn what_other_libraries_write_is_read() {
    for order in orders() {
        // Fields in order, without their names.
        let bytes = rmp_serde::to_vec(&order.address).unwrap();
        let msgpack = registry::find("msgpack").unwrap();
        assert_eq!(from_slice::<Address>(&bytes, msgpack, &Limits::DEFAULT).unwrap(), order.address);
        let bytes = rmp_serde::to_vec_named(&order).unwrap();
        assert_eq!(from_slice::<Order>(&bytes, msgpack, &Limits::DEFAULT).unwrap(), order);
        let mut bytes = Vec::new();
        ciborium::into_writer(&order, &mut bytes).unwrap();
        let cbor = registry::find("cbor").unwrap();
        assert_eq!(from_slice::<Order>(&bytes, cbor, &Limits::DEFAULT).unwrap(), order);
        assert_eq!(ciborium::from_reader::<Address, _>(&to_vec(&order.address, cbor).unwrap()[..]).unwrap(), order.address);
        let text = serde_json::to_vec(&order.lines).unwrap();
        let json = registry::find("json").unwrap();
        assert_eq!(from_slice::<Vec<Line>>(&text, json, &Limits::DEFAULT).unwrap(), order.lines);
        assert_eq!(serde_json::from_slice::<Address>(&to_vec(&order.address, json).unwrap()).unwrap(), order.address);
    }
}

#[test]
fn schemas_name_fields_and_cases() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Sale {
        id: u64,
        buyer: String,
        level: Level,
        lines: Vec<Line>,
        scores: BTreeMap<String, f64>,
        #[serde(with = "serde_bytes")]
        seal: Vec<u8>,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    enum Level {
        Low,
        High,
    }
    let folder = tempfile();
    let schema = folder.join("sale.proto");
    let text = "syntax = \"proto3\";\nmessage Sale {\n  uint64 id = 1;\n  string buyer = 2;\n  Level level = 3;\n  repeated Line lines = 4;\n  map<string, double> scores = 5;\n  bytes seal = 6;\n}\nenum Level {\n  LOW = 0;\n  HIGH = 1;\n}\nmessage Line {\n  string article = 1;\n  uint32 count = 2;\n}\n";
    std::fs::write(&schema, text).unwrap();
    let sale = Sale {
        id: 7,
        buyer: "Ann".into(),
        level: Level::High,
        lines: vec![Line { article: "pen".into(), count: 3 }],
        scores: BTreeMap::from([("a".into(), 0.5)]),
        seal: vec![1, 2, 255],
    };
    for name in ["protobuf", "protobuf-delimited", "protojson", "txtpb"] {
        let format = registry::find(name).unwrap();
        let dialect = Dialect::with_schema(format, &schema, Some("Sale"), &[]).unwrap();
        let bytes = to_vec(&sale, dialect.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(from_slice::<Sale>(&bytes, dialect, &Limits::DEFAULT).unwrap_or_else(|error| panic!("{name}: {error}")), sale, "{name}");
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum State {
        Idle,
        Busy(i64),
        Broken(String),
    }
    let schema = folder.join("job.extprot");
    let text =
        "type state = Idle | Busy long | Broken string\nmessage job = { id : long; name : string; state : state; states : [ state ]; }\n";
    std::fs::write(&schema, text).unwrap();
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Job {
        id: i64,
        name: String,
        state: State,
        states: Vec<State>,
    }
    let dialect = Dialect::with_schema(registry::find("extprot").unwrap(), &schema, None, &[]).unwrap();
    let mut writer = TypedWriter::new(dialect.clone()).unwrap();
    for state in [State::Busy(-7), State::Idle, State::Broken("down".into())] {
        let job = Job { id: 1 << 40, name: "n".into(), state: state.clone(), states: vec![State::Idle, state, State::Busy(1)] };
        let mut bytes = Vec::new();
        writer.write(&job, &mut bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(from_slice::<Job>(&bytes, dialect.clone(), &Limits::DEFAULT).unwrap(), job);
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// Makes a folder for the files of a test.
fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("polywire-serde-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn errors_name_the_fields_that_are_there_and_text_that_is_not_utf8() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Reading {
        sensor: String,
        celsius: f64,
    }
    for (format, bytes, expected) in [
        ("json", &br#"[{"sensor":"a","celsius":1},{"temp":{"c":1},"sensor":"b"}]"#[..], "`temp`, `sensor`, at byte 28, in [1]"),
        ("yaml", b"- sensor: a\n  celsius: 1\n- temp: {c: 1}\n  sensor: b\n", "`temp`, `sensor`, at byte 27, in [1].temp"),
        ("msgpack", b"\x92\x82\xa6sensor\xa1a\xa7celsius\x01\x82\xa4temp\x01\xa6sensor\xa1b", "`temp`, `sensor`, at byte 20, in [1]"),
        ("cbor", b"\x82\xa2\x66sensor\x61a\x67celsius\x01\xa2\x64temp\xa1\x61c\x01\x66sensor\x61b", "`temp`, `sensor`, at byte 20, in [1]"),
    ] {
        let error = from_slice::<Vec<Reading>>(bytes, format, &Limits::DEFAULT).unwrap_err();
        assert_eq!(error.to_string(), format!("{format}: a record without the field `celsius`: it has {expected}"));
    }
    let error = from_slice::<Reading>(b"<r><temp>1</temp><sensor>b</sensor></r>", "xml", &Limits::DEFAULT).unwrap_err();
    assert_eq!(error.to_string(), "xml: a record without the field `sensor`: it has `r`, at byte 1, in r");
    let error = from_slice::<Reading>(b"{}", "json", &Limits::DEFAULT).unwrap_err();
    assert_eq!(error.to_string(), "json: a record without the field `sensor`: it has no fields, at byte 0, in the message itself");
    let many: String = (0..20).map(|at| format!(",\"{}{at}\":1", "n".repeat(40))).collect();
    let error = from_slice::<Reading>(format!("{{\"a\":1{many}}}").as_bytes(), "json", &Limits::DEFAULT).unwrap_err();
    assert!(error.seen_text().ends_with(&format!("`{}…` and 13 more", "n".repeat(32))), "{error}");
    assert!(error.seen_text().len() < 400, "{error}");

    for (format, bytes) in [("msgpack", &b"\xa4ab\xffc"[..]), ("bencode", b"4:ab\xffc")] {
        let error = from_slice::<String>(bytes, format, &Limits::DEFAULT).unwrap_err();
        let expected =
            format!("{format}: expected a string, saw text that is not UTF-8, as its byte 2 is 0xff, at byte 0, in the message itself");
        assert_eq!(error.to_string(), expected);
        let error = from_slice::<f64>(bytes, format, &Limits::DEFAULT).unwrap_err();
        assert!(error.seen_text().starts_with("text that is not UTF-8"), "{error}");
        assert_eq!(from_slice::<serde_bytes::ByteBuf>(bytes, format, &Limits::DEFAULT).unwrap().as_ref(), b"ab\xffc");
    }
    let error = from_slice::<f64>(b"\xc4\x01\x61", "msgpack", &Limits::DEFAULT).unwrap_err();
    assert_eq!(error.seen_text(), "bytes", "these are bytes");
}

#[test]
fn limits_of_depth_are_raised_as_their_error_says() {
    let deep = [b"[".repeat(200), b"]".repeat(200)].concat();
    let error = from_slice::<Value>(&deep, "json", &Limits::DEFAULT).unwrap_err();
    assert!(error.advice().contains("`depth` of the reader allows more"), "{error}");
    let mut reader = TypedReader::new("json").unwrap().depth(200).limits(Limits::DEFAULT);
    assert!(reader.read::<Value>(&deep).is_ok());
    let mut values = Messages::<_, Value>::new(&deep[..], "json").unwrap().depth(200);
    assert!(values.next().unwrap().is_ok() && values.next().is_none());
    let error = TypedReader::new("json").unwrap().limits(Limits::DEFAULT.with_items(3)).read::<Value>(b"[1,2,3,4]").unwrap_err();
    assert!(error.advice().contains("the limit `items`") && !error.advice().contains("--"), "{error}");
}

#[test]
fn keys_that_no_type_reads_back_are_refused_where_keys_are_text() {
    let none = BTreeMap::from([(None, 1), (Some(7u16), 2)]);
    let unit = BTreeMap::from([((), 1)]);
    let pair = BTreeMap::from([((1u8, 2u8), 3)]);
    let bytes = BTreeMap::from([(serde_bytes::ByteBuf::from(b"\x01\x02"), 3)]);
    let numbers = BTreeMap::from([(Some(7u16), true), (Some(8), false)]);
    for &format in FORMATS {
        if format.writer.is_none() || has_own_shape(format) || RECORDS.contains(&format.name) {
            continue;
        }
        // A format holds such a key exactly, or refuses it.
        comes_back_or_is_a_loss(&none, format);
        comes_back_or_is_a_loss(&unit, format);
        comes_back_or_is_a_loss(&pair, format);
        comes_back_or_is_a_loss(&bytes, format);
        assert!(comes_back_or_is_a_loss(&numbers, format), "{}", format.name);
    }
    for name in ["json", "jsonl"] {
        assert_eq!(to_vec(&none, name).unwrap_err().kind(), ErrorKind::Loss);
        assert_eq!(TypedWriter::new(name).unwrap().by_events().write(&none, &mut Vec::new()).unwrap_err().kind(), ErrorKind::Loss);
    }
    let format = registry::find("msgpack").unwrap();
    assert!(comes_back_or_is_a_loss(&none, format) && comes_back_or_is_a_loss(&bytes, format));
}

fn comes_back_or_is_a_loss<T>(value: &T, format: &'static Format) -> bool
where
    T: std::fmt::Debug + PartialEq + Serialize + serde::de::DeserializeOwned,
{
    match to_vec(value, format) {
        Ok(bytes) => {
            let read = from_slice::<T>(&bytes, format, &Limits::DEFAULT);
            let read = read.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)));
            assert_eq!(&read, value, "{}: {}", format.name, String::from_utf8_lossy(&bytes));
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Loss, "{}: {error}", format.name);
            false
        }
    }
}

#[test]
fn streams_are_written_and_read_one_message_at_a_time() {
    let mut writer = StreamWriter::new(Vec::new(), "jsonl").unwrap();
    writer.write(&(1, "a")).unwrap();
    // A value that the format cannot hold leaves no trace, and the next one follows.
    assert_eq!(writer.write(&[f64::NAN]).unwrap_err().kind(), ErrorKind::Loss);
    writer.write(&(2, "b\n")).unwrap();
    assert_eq!(writer.written(), 2);
    let bytes = writer.finish().unwrap();
    assert_eq!(bytes, b"[1,\"a\"]\n[2,\"b\\n\"]\n");
    assert_eq!(to_vec(&(1, "a"), "jsonl").unwrap(), b"[1,\"a\"]\n");
    assert_eq!(to_vec(&(1, "a"), "json").unwrap(), b"[1,\"a\"]");

    let mut values = Messages::<_, (u8, String)>::new(&bytes[..], "jsonl").unwrap();
    assert_eq!((values.bytes(), values.range()), (&b""[..], 0..0));
    let mut seen = Vec::new();
    while let Some(value) = values.next() {
        seen.push((value.unwrap().0, values.range(), values.bytes().len()));
    }
    assert_eq!(seen, [(1, 0..7, 7), (2, 8..17, 9)]);

    // The iterator ends after an error, in any format; the bytes are those of the bad message.
    let bad = b"[1,\"a\"]\n[2]\n[3,\"c\"]\n";
    let mut values = Messages::<_, (u8, String)>::new(&bad[..], "jsonl").unwrap();
    assert!(values.next().unwrap().is_ok());
    let error = values.next().unwrap().unwrap_err();
    assert_eq!((error.message(), values.range(), values.bytes()), (Some(2), 8..11, &b"[2]"[..]));
    assert!(values.next().is_none() && values.next().is_none());

    // An output that fails is an error, at the latest when the rest is written.
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = StreamWriter::new(Full, "msgpack").unwrap();
    writer.write(&1).unwrap();
    assert_eq!(writer.finish().err().map(|error| error.kind()), Some(ErrorKind::Io));
    assert_eq!(StreamWriter::new(Vec::new(), "ber").err().map(|error| error.kind()), Some(ErrorKind::Unsupported));
    assert_eq!(Messages::<_, u8>::new(&b""[..], "mesagepack").err().map(|error| error.kind()), Some(ErrorKind::UnknownFormat));
}

#[test]
fn a_long_stream_takes_the_memory_of_one_message() {
    /// Endless messages, which count what is read ahead of them.
    struct Source(std::rc::Rc<std::cell::Cell<u64>>);
    impl std::io::Read for Source {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            out.fill(7);
            self.0.set(self.0.get() + out.len() as u64);
            Ok(out.len())
        }
    }
    let read = std::rc::Rc::default();
    let mut values = Messages::<_, u8>::new(Source(std::rc::Rc::clone(&read)), "msgpack").unwrap();
    for number in 1..=1_000_000u64 {
        assert_eq!(values.next().unwrap().unwrap(), 7);
        assert!(read.get() - number <= 256 << 10, "{} bytes were read for {number} messages", read.get());
    }
}
