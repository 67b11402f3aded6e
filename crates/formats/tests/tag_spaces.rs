//! Tags of any space come back from XML, PSYC and USDS: those that the formats emit, and others.

mod vectors;

use std::collections::BTreeSet;
use std::path::Path;

use polywire_core::format::{Dialect, Format};
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Frame, Limits};
use polywire_formats::registry::{self, FORMATS};
use polywire_formats::{ber, bson, cbor, msgpack};
use polywire_schema::infer::Inference;
use polywire_testing as testing;

/// The spaces that formats emit.
const SPACES: [&str; 13] = [
    cbor::NAME,
    cbor::SIMPLE,
    msgpack::NAME,
    bson::NAME,
    polywire_psyc::walk::NAME,
    polywire_extprot::walk::NAME,
    ber::UNIVERSAL,
    ber::APPLICATION,
    ber::CONTEXT,
    ber::PRIVATE,
    "thrift",
    "amf",
    "etch",
];

/// Spaces that no format of the house has.
const OTHERS: [&str; 26] = [
    "toy",
    "a b",
    " a ",
    "a.b",
    "a-b",
    "-",
    "1x",
    "42",
    "_",
    "_a",
    "__",
    "a_",
    "a__b",
    "_list",
    "_tagged",
    "Toy",
    "TOY",
    "größe",
    "日本",
    "\"quoted\"",
    "it's",
    "<&>",
    "a|b=c",
    "tab\there",
    "line\nbreak",
    "\r",
];

fn tagged(space: &str, code: u64, value: Value) -> Value {
    Value::Tagged { space: space.to_owned().into(), code, value: Box::new(value) }
}

/// The spaces of the tags in a value.
fn spaces_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Tagged { space, value, .. } => {
            found.insert(space.to_string());
            spaces_in(value, found);
        }
        Value::List(values) | Value::Tuple(values) | Value::Variant { values, .. } => {
            values.iter().for_each(|value| spaces_in(value, found));
        }
        Value::Record { fields, .. } => fields.iter().for_each(|(_, value)| spaces_in(value, found)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            spaces_in(key, found);
            spaces_in(value, found);
        }),
        _ => {}
    }
}

/// Messages that the house has of a format: its vectors, and the files of
/// `testdata/corpus/<format>/`.
fn corpus(format: &'static Format) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus").join(format.name);
    let files = std::fs::read_dir(folder).map(|folder| folder.flatten().map(|file| file.path()).collect::<Vec<_>>()).unwrap_or_default();
    let files = files.iter().map(|file| std::fs::read(file).expect("a corpus file is readable"));
    vectors::of(format).into_iter().map(|case| case.bytes).chain(files).collect()
}

#[test]
fn the_list_has_every_space_that_a_format_emits() {
    let mut found = BTreeSet::new();
    for format in FORMATS {
        for bytes in corpus(format) {
            let mut sink = ValueSink::default();
            if Walker::new(*format, &Limits::DEFAULT).doubles(Doubles::Keep).walk(&bytes, 0, &mut sink).is_ok() {
                spaces_in(&sink.finish().expect("a message is a value"), &mut found);
            }
        }
    }
    let unknown: Vec<&String> = found.iter().filter(|space| !SPACES.contains(&space.as_str())).collect();
    assert!(unknown.is_empty(), "spaces that the list lacks: {unknown:?}");
    assert!(found.contains(cbor::NAME) && found.contains(ber::CONTEXT), "{found:?}");
}

/// Tagged values: at the root, in a record, in a list, as a key, and around each other.
fn values(space: &str) -> Vec<Value> {
    let tag = |code, value| tagged(space, code, value);
    let mut values: Vec<Value> = [0, 1, 61, 255, 314, 573, u64::MAX]
        .into_iter()
        .flat_map(|code| {
            [
                tag(code, Value::text("x")),
                tag(code, Value::record([("a", Value::UInt(1))])),
                Value::record([("field", tag(code, Value::UInt(7)))]),
                Value::record([("field", Value::record([("inner", tag(code, Value::List(vec![Value::text("y"), Value::text("z")])))]))]),
            ]
        })
        .collect();
    values.push(Value::record([("list", Value::List(vec![tag(5, Value::Null), tag(5, Value::Bool(true))]))]));
    values.push(Value::record([("twice", tag(1, tag(2, Value::text("x"))))]));
    values.push(Value::record([("keys", Value::Map(vec![(tag(3, Value::text("k")), Value::UInt(1))]))]));
    values
}

/// Holds that `value` comes back from `dialect` without a loss.
fn comes_back(dialect: &Dialect, value: &Value) {
    let mut writer = dialect.writer().expect("a format that is written");
    let mut bytes = Vec::new();
    // Writers that need a value's texts whole, or its fields grouped, get them so from a value.
    value.emit(&mut *writer).and_then(|()| writer.finish(&mut bytes)).unwrap_or_else(|error| panic!("{dialect:?}: {value:?}: {error}"));
    let losses = writer.losses();
    assert!(losses.iter().all(|lost| !lost.is_value()), "{dialect:?}: {losses:?} of {value:?}");
    let shown = bytes.escape_ascii();
    let Ok(Frame::Message { start, end }) = dialect.reader().frame(&bytes, 0, true) else { panic!("{dialect:?}: no message in {shown}") };
    let mut sink = ValueSink::default();
    let walked = Walker::new(dialect.clone(), &Limits::DEFAULT).doubles(Doubles::Keep).walk(&bytes[start..end], start as u64, &mut sink);
    walked.unwrap_or_else(|error| panic!("{value:?} became {shown}: {error}"));
    testing::assert_same(value, &sink.finish().expect("a value"), &shown.to_string());
}

#[test]
fn tags_of_any_space_come_back_from_xml_and_psyc() {
    for name in ["xml", "psyc"] {
        let dialect = Dialect::from(registry::find(name).expect("a format"));
        for space in SPACES.iter().chain(&OTHERS) {
            values(space).iter().for_each(|value| comes_back(&dialect, value));
        }
    }
}

#[test]
fn tags_of_any_space_come_back_from_usds_by_their_schema() {
    let usds = registry::find("usds").expect("USDS");
    for space in SPACES.iter().chain(&OTHERS) {
        for value in values(space) {
            let mut inference = Inference::new();
            inference.add(|sink| value.emit(sink)).expect("a value is a sample");
            let bound = usds.binder.expect("USDS takes a schema").adopt(&inference.finish(None));
            comes_back(&Dialect::bound(usds, bound.unwrap_or_else(|error| panic!("{value:?}: {error}"))), &value);
        }
    }
}

/// Names that a document cannot hold: no name, and in XML the characters that it forbids.
#[test]
fn a_space_that_cannot_come_back_is_a_reported_loss() {
    for (name, space) in [("xml", ""), ("xml", "a\u{0}b"), ("xml", "\u{1f}"), ("xml", "\u{fffe}"), ("psyc", "")] {
        let format = registry::find(name).expect("a format");
        let (_, losses) = testing::written(format, &Value::record([("field", tagged(space, 1, Value::text("x")))]));
        assert!(!losses.is_empty(), "{name}: {space:?}");
    }
    // PSYC has names of any characters.
    for space in ["a\u{0}b", "\u{1f}", "\u{fffe}"] {
        let psyc = Dialect::from(registry::find("psyc").expect("PSYC"));
        values(space).iter().for_each(|value| comes_back(&psyc, value));
    }
}
