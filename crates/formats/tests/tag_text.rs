//! Bytes with a tag have the text that people know, the same in all formats of text.

use polywire_core::Value;
use polywire_core::format::Format;
use polywire_formats::{bencode, csv, json, registry, yaml};
use polywire_testing as testing;

fn tagged(space: &'static str, code: u64, value: Value) -> Value {
    Value::Tagged { space: space.into(), code, value: Box::new(value) }
}

fn id() -> Value {
    tagged("bson", 7, Value::Bytes(b"\x66\x5f\x1c\x2e\x9b\x1e\x8a\0\x01\xc0\xff\xee".to_vec()))
}

fn uuid(space: &'static str, code: u64) -> Value {
    tagged(space, code, Value::Bytes((0..16).collect()))
}

fn written(format: &'static Format, value: &Value) -> (String, Vec<&'static str>) {
    let (bytes, lost) = testing::written(format, value);
    (String::from_utf8(bytes).unwrap(), lost)
}

#[test]
fn each_format_of_text_has_the_same_text() {
    let message = Value::record([("_id", id()), ("u", uuid("bson", 5 * 256 + 4)), ("c", uuid("cbor", 37))]);
    let lost = vec!["ObjectId became its hexadecimal digits", "UUID became text", "UUID became text"];
    let uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";
    for (format, text) in [
        (&json::FORMAT, format!(r#"{{"_id":"665f1c2e9b1e8a0001c0ffee","u":"{uuid}","c":"{uuid}"}}"#)),
        (&csv::FORMAT, format!("_id,u,c\n665f1c2e9b1e8a0001c0ffee,{uuid},{uuid}")),
        (&yaml::FORMAT, format!("---\n_id: \"665f1c2e9b1e8a0001c0ffee\"\nu: \"{uuid}\"\nc: \"{uuid}\"\n")),
    ] {
        let (written, noted) = written(format, &message);
        assert_eq!((written.trim_end(), noted), (text.trim_end(), lost.clone()), "{}", format.name);
    }
    let plain = registry::find("xml").unwrap().settings.unwrap().configure(&[("xml", "plain")]).unwrap();
    let (mut writer, mut out) = (plain.writer().unwrap(), Vec::new());
    Value::record([("_id", id())]).emit(&mut *writer).unwrap();
    writer.finish(&mut out).unwrap();
    assert_eq!(out, b"<_id>665f1c2e9b1e8a0001c0ffee</_id>");
    assert_eq!(writer.losses().iter().map(|lost| lost.what).collect::<Vec<_>>(), lost[..1]);
}

#[test]
fn a_tag_whose_value_has_no_text_is_dropped() {
    let dropped = "tag dropped";
    for (value, text, lost) in [
        (tagged("bson", 7, Value::Bytes(vec![1])), "\"AQ==\"", vec![dropped, "bytes became base64 text"]),
        (tagged("bson", 7, Value::UInt(1)), "1", vec![dropped]),
        (tagged("cbor", 23, Value::List(vec![Value::UInt(1)])), "[1]", vec![dropped]),
        (
            tagged("cbor", 37, tagged("cbor", 23, Value::Bytes(vec![255]))),
            "\"FF\"",
            vec![dropped, "bytes became hexadecimal text, as their tag asks"],
        ),
        (tagged("cbor", 23, tagged("cbor", 999, Value::Null)), "null", vec![dropped, dropped]),
        (
            tagged("cbor", 23, Value::Variant { name: "v".into(), index: 0, values: vec![] }),
            "\"v\"",
            vec![dropped, "case of a sum type became its name, or an object"],
        ),
    ] {
        assert_eq!(written(&json::FORMAT, &value), (text.to_string(), lost), "{text}");
        let row = Value::record([("a", value.clone()), ("b", Value::UInt(2))]);
        let (table, _) = written(&csv::FORMAT, &row);
        let cell = table.lines().nth(1).and_then(|line| line.strip_suffix(",2")).unwrap_or_else(|| panic!("{table}"));
        // A case is JSON in a cell.
        let expected = if text == "\"v\"" { "\"\"\"v\"\"\"" } else { text.trim_matches('"') };
        assert_eq!(cell, expected, "{table}");
        written(&yaml::FORMAT, &row);
    }
    // A list around it, a key, and a message of its own.
    assert_eq!(
        written(&json::FORMAT, &Value::List(vec![id(), Value::UInt(1), id()])).0,
        r#"["665f1c2e9b1e8a0001c0ffee",1,"665f1c2e9b1e8a0001c0ffee"]"#
    );
    assert_eq!(written(&json::FORMAT, &Value::Map(vec![(id(), id())])).0, r#"{"\"665f1c2e9b1e8a0001c0ffee\"":"665f1c2e9b1e8a0001c0ffee"}"#);
    assert_eq!(written(&json::FORMAT, &id()).0, r#""665f1c2e9b1e8a0001c0ffee""#);
    // Formats with bytes keep them.
    assert_eq!(testing::written(&bencode::FORMAT, &id()).0, b"12:\x66\x5f\x1c\x2e\x9b\x1e\x8a\0\x01\xc0\xff\xee");
}
