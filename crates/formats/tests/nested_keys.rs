//! Keys that are containers, within each other: text within text doubles at each level, so writers
//! of text keys bound it.

use bytes::Bytes;
use polywire_core::format::Format;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::diff::differences;
use polywire_core::tools::inspect;
use polywire_core::value::Tree;
use polywire_core::{Budget, Error, ErrorKind, Limits};
use polywire_doc::{Datum, DocSink, Repeated, Wanted};
use polywire_formats::registry::FORMATS;
use polywire_formats::{bencode, bson, cbor, csv, json, jsonl, msgpack, yaml};
use polywire_testing as testing;

/// Formats whose keys are text.
const TEXT_KEYS: [&Format; 5] = [&json::FORMAT, &jsonl::FORMAT, &bson::FORMAT, &bencode::FORMAT, &csv::FORMAT];

/// The bytes of a map, a text and a null in the two formats whose keys may be maps.
struct Wire {
    format: &'static Format,
    map: u8,
    text: u8,
    null: u8,
}

const WIRES: [Wire; 2] = [
    Wire { format: &msgpack::FORMAT, map: 0x80, text: 0xa0, null: 0xc0 },
    Wire { format: &cbor::FORMAT, map: 0xa0, text: 0x60, null: 0xf6 },
];

impl Wire {
    /// Returns a map whose key is a map, `levels` times; each has `more` other keys, of quotes.
    fn nested(&self, levels: usize, more: u8) -> Vec<u8> {
        let mut out = vec![self.map + 1 + more; levels];
        out.push(self.map);
        for _ in 0..levels {
            out.push(self.null);
            for n in 0..more {
                out.extend([self.text + 3, b'"', b'\\', b'a' + n, self.text + 1, b'"']);
            }
        }
        out
    }

    /// Returns a map of fifteen fields, each with a map whose key is a map, `levels` times.
    fn wide(&self, levels: usize) -> Vec<u8> {
        let mut out = vec![self.map + 15];
        for n in 0..15 {
            out.extend([self.text + 1, b'a' + n]);
            out.extend(self.nested(levels, 2));
        }
        out
    }
}

fn converted(from: &'static Format, bytes: &[u8], to: &'static Format) -> Result<Vec<u8>, Error> {
    let mut writer = to.writer.expect("a format that can be written")();
    Walker::new(from, &Limits::DEFAULT).doubles(Doubles::Keep).walk(bytes, 0, &mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok(out)
}

/// Returns the JSON text of the document that the query language sees.
fn document(format: &'static Format, bytes: &[u8]) -> Result<String, Error> {
    let wanted = Wanted::everything();
    let mut sink = DocSink::new(Bytes::copy_from_slice(bytes), &wanted, Repeated::Group);
    (format.reader)().walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    let (doc, _) = sink.finish(bytes.len() as u64)?;
    Ok(String::from_utf8(Datum::from(doc).to_json()).expect("UTF-8"))
}

#[test]
fn text_is_bounded_in_every_format() {
    for wire in &WIRES {
        for levels in [1, 3, 7, 8, 9, 12, 67, 500] {
            for bytes in [wire.nested(levels, 0), wire.nested(levels, 3), wire.nested(levels, 14), wire.wide(levels)] {
                for to in FORMATS.iter().filter(|format| format.writer.is_some()) {
                    match converted(wire.format, &bytes, to) {
                        // XML writes an element around each part, indented by nothing.
                        Ok(out) => assert!(out.len() <= 600 * bytes.len(), "{levels} levels to {}: {} bytes", to.name, out.len()),
                        Err(error) => {
                            let kinds = [ErrorKind::Limit, ErrorKind::Unsupported];
                            assert!(kinds.contains(&error.kind()), "{levels} levels to {}: {error}", to.name);
                        }
                    }
                }
                match document(wire.format, &bytes) {
                    Ok(text) => assert!(text.len() <= 600 * bytes.len(), "{levels} levels: {} bytes", text.len()),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Limit, "{error}"),
                }
            }
        }
    }
}

#[test]
fn the_ninth_key_within_keys_is_refused_where_keys_are_text() {
    for wire in &WIRES {
        let bytes = wire.nested(67, 0);
        for to in TEXT_KEYS {
            let error = converted(wire.format, &bytes, to).expect_err(to.name);
            assert_eq!(error.kind(), ErrorKind::Limit, "{}: {error}", to.name);
            // The outermost key is JSON text itself in all but JSON, and counts there only.
            let offset = if [json::FORMAT.name, jsonl::FORMAT.name].contains(&to.name) { 9 } else { 10 };
            assert_eq!(error.offset(), Some(offset), "{}: {error}", to.name);
        }
        let error = document(wire.format, &bytes).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Limit, Some(9)), "{error}");
    }
}

/// Keys within keys that are few give the text that they always gave.
#[test]
fn eight_keys_within_keys_are_text_within_text() {
    for wire in &WIRES {
        for levels in 1..=8 {
            let mut expected = "{}".to_string();
            for _ in 0..levels {
                expected = format!("{{{}:null}}", serde_json::to_string(&expected).expect("a text"));
            }
            let bytes = wire.nested(levels, 0);
            assert_eq!(String::from_utf8(converted(wire.format, &bytes, &json::FORMAT).unwrap()).unwrap(), expected);
            assert_eq!(document(wire.format, &bytes).unwrap(), expected);
            let inner: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&expected).expect("an object");
            let key = inner.keys().next().expect("a key");
            let bencoded = converted(wire.format, &bytes, &bencode::FORMAT).unwrap();
            assert_eq!(bencoded, format!("d{}:{key}0:e", key.len()).into_bytes());
            let row = converted(wire.format, &bytes, &csv::FORMAT).unwrap();
            let name = if key == "{}" { key.clone() } else { format!("\"{}\"", key.replace('"', "\"\"")) };
            assert_eq!(String::from_utf8(row).unwrap(), format!("{name}\n\"\""));
            let back = testing::value_of(&bson::FORMAT, &converted(wire.format, &bytes, &bson::FORMAT).unwrap()).unwrap();
            assert_eq!(format!("{back:?}").matches("Null").count(), 1, "{back:?}");
        }
    }
}

/// Formats whose keys are values take any nesting within the limit of depth.
#[test]
fn keys_that_are_values_nest() {
    for wire in &WIRES {
        // Within the 255 brackets that our YAML reader takes.
        let bytes = wire.nested(200, 1);
        for to in [&cbor::FORMAT, &msgpack::FORMAT, &yaml::FORMAT] {
            let out = converted(wire.format, &bytes, to).unwrap_or_else(|error| panic!("{}: {error}", to.name));
            let (mut one, mut other) = (Tree::new(), Tree::new());
            for (format, bytes, tree) in [(wire.format, &bytes, &mut one), (to, &out, &mut other)] {
                Walker::new(format, &Limits::DEFAULT).walk(bytes, 0, tree).unwrap_or_else(|error| panic!("{}: {error}", format.name));
            }
            assert!(differences(one.root().unwrap(), other.root().unwrap(), 1).is_empty(), "{}", to.name);
        }
        let bytes = wire.nested(500, 1);
        let mut rows = 0;
        inspect::inspect(wire.format, &bytes, &inspect::Options::default(), &mut |_| {
            rows += 1;
            Ok(())
        })
        .unwrap();
        assert!(rows > 1000);
    }
}

/// A text of quotes deep in keys doubles as well: what keys within keys make is bounded.
#[test]
fn a_long_text_in_keys_within_keys_is_bounded() {
    let quotes = 1 << 17;
    let mut cbor = vec![0xa1; 8];
    cbor.extend([0xa1, 0x7a]);
    cbor.extend(u32::to_be_bytes(quotes as u32));
    cbor.resize(cbor.len() + quotes, b'"');
    cbor.resize(cbor.len() + 9, 0xf6);
    assert_eq!(converted(&cbor::FORMAT, &cbor, &json::FORMAT).unwrap_err().kind(), ErrorKind::Limit);
    assert_eq!(document(&cbor::FORMAT, &cbor).unwrap_err().kind(), ErrorKind::Limit);
    // In one key it is text like any other.
    let mut cbor = vec![0xa1, 0xa1, 0x7a];
    cbor.extend(u32::to_be_bytes(quotes as u32));
    cbor.resize(cbor.len() + quotes, b'"');
    cbor.extend([0xf6; 2]);
    for to in TEXT_KEYS {
        assert!(converted(&cbor::FORMAT, &cbor, to).is_ok(), "{}", to.name);
    }
    assert!(document(&cbor::FORMAT, &cbor).is_ok());
}
