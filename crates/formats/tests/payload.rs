//! Messages inside of messages: what is recognised and what is not, what opening gives, and what it
//! may cost.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use flate2::Compression;
use flate2::write::GzEncoder;
use polywire_core::format::Format;
use polywire_core::format::payload::raw::RAW;
use polywire_core::tools::adapt::{Doubles, Opening, Projection, Walker};
use polywire_core::tools::inspect::{Options, What, inspect};
use polywire_core::value::{Value, ValueSink};
use polywire_core::walk::Path;
use polywire_core::{Budget, Error, ErrorKind, Fault, Limits};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::{cbor, json, msgpack, registry, xml};
use polywire_testing::{self as testing, Rng};

const ORDER: &str = r#"{"order":{"n":17,"list":[1,2,{"k":"v"}]}}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("memory takes all")
}

fn order() -> Value {
    value(&json::FORMAT, ORDER.as_bytes())
}

fn value(format: &'static Format, bytes: &[u8]) -> Value {
    let mut sink = ValueSink::default();
    Walker::new(format, &Limits::DEFAULT).walk(bytes, 0, &mut sink).expect("a message");
    sink.finish().expect("a value")
}

fn text_record(fields: &[(&str, Value)]) -> Value {
    Value::record(fields.iter().map(|(name, value)| ((*name).to_string(), value.clone())))
}

fn written(format: &'static Format, value: &Value) -> Vec<u8> {
    testing::write(format, value).expect("a value that can be written")
}

fn walker(format: &'static Format, paths: &[&str], limits: &Limits) -> Walker {
    let root = |path: &&str| if *path == "." { Path::default() } else { Path::parse(path).expect("a path") };
    let paths: Vec<Path> = paths.iter().map(root).collect();
    Walker::new(format, limits).open(Some(Opening { paths: Projection::new(&paths), payloads: &PAYLOADS }))
}

fn opened_within(format: &'static Format, bytes: &[u8], paths: &[&str], limits: &Limits) -> Result<Value, Error> {
    let mut sink = ValueSink::default();
    walker(format, paths, limits).walk(bytes, 0, &mut sink)?;
    Ok(sink.finish().expect("a value"))
}

fn opened(format: &'static Format, bytes: &[u8], paths: &[&str]) -> Result<Value, Error> {
    opened_within(format, bytes, paths, &Limits::DEFAULT)
}

/// The value without the difference between maps and records, in JSON.
fn as_json(value: &Value) -> String {
    String::from_utf8(written(&json::FORMAT, value)).expect("JSON is text")
}

fn looks_like(bytes: &[u8]) -> String {
    PAYLOADS.look(bytes).map_or_else(String::new, |contents| contents.to_string())
}

#[test]
fn what_is_evident() {
    let packed = written(&msgpack::FORMAT, &order());
    let long = format!("[{}]", ORDER.repeat(500).replace("}{", "},{"));
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (ORDER.into(), "json"),
        (format!("  \n{ORDER}\n").into(), "json"),
        (format!("{ORDER}\n{ORDER}").into(), "jsonl"),
        ("[1,2,3]".into(), "json"),
        (ORDER[..30].into(), "json"),
        (long.as_str().into(), "json"),
        (format!("[\"{}\"]", "ä".repeat(5000)).into(), "json"),
        (format!("[\"x{}\"]", "ä".repeat(5000)).into(), "json"),
        ("<a><b>c</b></a>".into(), "xml"),
        ("<?xml version=\"1.0\"?><a/>".into(), "xml"),
        (packed.clone(), "msgpack"),
        (written(&cbor::FORMAT, &order()), "cbor"),
        (gzip(ORDER.as_bytes()), "json in gzip"),
        (gzip(long.as_bytes()), "json in gzip"),
        (gzip(long.as_bytes())[..100].into(), "json in gzip"),
        (zstd(&packed), "msgpack in zstd"),
        (STANDARD.encode(ORDER).into(), "json in base64"),
        (URL_SAFE_NO_PAD.encode(&packed).into(), "msgpack in base64"),
        (STANDARD.encode(gzip(ORDER.as_bytes())).into(), "json in gzip in base64"),
        (STANDARD.encode(&long).into(), "json in base64"),
        (STANDARD.encode(STANDARD.encode(ORDER)).into(), "json in base64 in base64"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(looks_like(&bytes), expected, "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    }
}

#[test]
fn what_is_not() {
    let texts = [
        "",
        "12",
        "true",
        "null",
        "abc",
        "\"abc\"",
        "-1.5e7",
        "[]",
        "{}",
        "[1]",
        "[1] see the note",
        "[sic]",
        "{name}",
        "{name} and {other}",
        "<b>",
        "<-",
        "a <b> c",
        "12 13 14 15 16 17",
        "abcdefghijklmnop",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "internationalization",
        "550e8400-e29b-41d4-a716-446655440000",
        "550e8400e29b41d4a716446655440000",
        "2026-11-21T09:30:00Z",
        "Note: this is none",
        "a,b,c\nd,e,f",
        "Dear Ada,\n\nthank you.\n",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ];
    for text in texts {
        assert_eq!(looks_like(text.as_bytes()), "", "{text}");
    }
    let bytes: [&[u8]; 8] = [
        b"\0",
        b"\x01\x02\x03\x04\x05\x06\x07\x08\x09",
        b"\x93\x01\x02\x03",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"\x1f\x8b\x08\xff\xff",
        &[0; 64],
        &[0xff; 64],
    ];
    for bytes in bytes {
        assert_eq!(looks_like(bytes), "", "{bytes:?}");
    }
    assert_eq!(looks_like(&gzip(&[0; 100_000])), "");
    assert_eq!(looks_like(&gzip(b"just some text")), "");
}

/// Noise, such as keys, digests and encrypted text, is not taken for a message, bare or as base64.
///
/// 60 seeds gave 7.2 mistakes on average. With that rate, one seed of 20,000 gives 20 by chance
/// (Poisson distribution), while twice the rate fails with every ninth seed.
#[test]
fn noise_is_rarely_taken_for_a_message() {
    let mut rng = Rng::with_seed(11);
    let mut mistaken = 0;
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..rng.usize(8..200)).map(|_| rng.u8(..)).collect();
        let is_mistaken = PAYLOADS.look(&bytes).is_some() || PAYLOADS.look(STANDARD.encode(&bytes).as_bytes()).is_some();
        mistaken += u32::from(is_mistaken);
    }
    assert!(mistaken < 20, "{mistaken} of 20000");
}

#[test]
fn json_in_xml_in_json() {
    let doc = format!("<env id=\"1\"><item>a</item><body>{}</body><item>b</item></env>", ORDER.replace('"', "&quot;"));
    let outer = written(&json::FORMAT, &text_record(&[("id", Value::UInt(1)), ("payload", Value::text(&doc)), ("rest", Value::Null)]));
    let one = opened(&json::FORMAT, &outer, &["payload"]).unwrap();
    let shown = as_json(&one);
    assert!(shown.contains("\"body\":\"{\\\"order\\\"") && shown.starts_with("{\"id\":1,\"payload\":{\"env\":{\"@id\":\"1\""), "{shown}");
    let two = as_json(&opened(&json::FORMAT, &outer, &["payload", "payload.env.body"]).unwrap());
    assert!(two.contains(&format!("\"body\":{ORDER}")) && two.ends_with("\"rest\":null}"), "{two}");
    // A path into a value that is not opened names nothing.
    assert_eq!(opened(&json::FORMAT, &outer, &["payload.env.body"]).unwrap(), value(&json::FORMAT, &outer));
}

#[test]
fn compressed_cbor_in_msgpack_and_base64_in_json() {
    let packed = gzip(&written(&cbor::FORMAT, &order()));
    let outer = written(
        &msgpack::FORMAT,
        &text_record(&[("list", Value::List(vec![Value::Bytes(packed.clone()), Value::Null, Value::Bytes(packed)]))]),
    );
    let found = as_json(&opened(&msgpack::FORMAT, &outer, &["list"]).unwrap());
    assert_eq!(found, format!("{{\"list\":[{ORDER},null,{ORDER}]}}"));
    for text in [STANDARD.encode(ORDER), URL_SAFE_NO_PAD.encode(zstd(ORDER.as_bytes())), STANDARD.encode(gzip(ORDER.as_bytes()))] {
        let outer = format!("{{\"a\":{{\"b\":\"{text}\"}}}}");
        assert_eq!(as_json(&opened(&json::FORMAT, outer.as_bytes(), &["*.b"]).unwrap()), format!("{{\"a\":{{\"b\":{ORDER}}}}}"));
    }
}

#[test]
fn the_message_itself_may_be_a_payload() {
    let text = written(&json::FORMAT, &Value::text(ORDER));
    assert_eq!(as_json(&opened(&json::FORMAT, &text, &["."]).unwrap()), ORDER);
    assert_eq!(as_json(&opened(&RAW, &gzip(ORDER.as_bytes()), &["."]).unwrap()), ORDER);
}

/// The contents of a payload are opened only if a longer path asks for it: the texts of a list in
/// it stay as they are.
#[test]
fn a_payload_is_opened_once() {
    let outer = written(&json::FORMAT, &text_record(&[("a", Value::text("[\"[1,2,3]\",\"x\",{\"b\":\"[4]\"}]"))]));
    assert_eq!(as_json(&opened(&json::FORMAT, &outer, &["a"]).unwrap()), "{\"a\":[\"[1,2,3]\",\"x\",{\"b\":\"[4]\"}]}");
    assert_eq!(as_json(&opened(&json::FORMAT, &outer, &["a", "a.b"]).unwrap()), "{\"a\":[\"[1,2,3]\",\"x\",{\"b\":[4]}]}");
}

#[test]
fn any_format_in_any_format() {
    // Thrift's fields have numbers, and its lists one type: it holds neither message as it is. A
    // packet of AMF has each message in a list.
    let holds = |format: &&'static Format| format.writer.is_some() && !format.name.starts_with("thrift-") && format.name != "amf-packet";
    let writable: Vec<&'static Format> = registry::FORMATS.iter().copied().filter(holds).collect();
    let mut pairs = 0;
    for outer in &writable {
        for inner in &writable {
            let bytes = written(inner, &order());
            // Some formats change values when they write them, or cannot express them: the
            // values that they read count.
            let wanted = as_json(&value(inner, &bytes));
            let payload = std::str::from_utf8(&bytes).map_or_else(|_| Value::Bytes(bytes.clone()), Value::text);
            let message = written(outer, &text_record(&[("body", payload)]));
            let path = if as_json(&value(outer, &message)).starts_with("{\"body\":\"") { "body" } else { "*.body" };
            if PAYLOADS.look(&bytes).is_some_and(|contents| contents.format.name == inner.name) {
                let found = opened(outer, &message, &[path]).unwrap_or_else(|error| panic!("{inner:?} in {outer:?}: {error}"));
                assert!(as_json(&found).contains(&wanted), "{inner:?} in {outer:?}: {}", as_json(&found));
                pairs += 1;
            }
        }
    }
    assert!(pairs >= 16, "{pairs}");
}

#[test]
fn what_cannot_be_opened_says_where_and_why() {
    let broken = gzip(ORDER.as_bytes());
    let fields = [
        ("word", Value::text("abc")),
        ("cut", Value::text("{\"x\": [1, 2")),
        ("two", Value::text("{\"x\":1}{\"x\":2}")),
        ("deep", Value::text(format!("{{\"a\":{{\"b\":[{}", "[".repeat(100)))),
        ("doubled", Value::text("{\"x\":1,\"x\":2}")),
        ("number", Value::UInt(7)),
        ("gz", Value::Bytes(broken[..broken.len() - 9].to_vec())),
        ("crc", Value::Bytes([&broken[..broken.len() - 8], &[0; 8]].concat())),
    ];
    let message = written(&msgpack::FORMAT, &text_record(&fields));
    for (path, kind, part) in [
        ("word", ErrorKind::UnknownFormat, "looks like no format"),
        ("cut", ErrorKind::Truncated, "at byte 11 of it"),
        ("two", ErrorKind::Trailing, "bytes after the message, at byte 7 of it"),
        ("deep", ErrorKind::Truncated, "(json)"),
        ("doubled", ErrorKind::DoubledKey, "x"),
        ("number", ErrorKind::Unsupported, "integer"),
        ("gz", ErrorKind::Encoding, "gzip that cannot be decoded"),
        ("crc", ErrorKind::Encoding, "gzip that cannot be decoded"),
    ] {
        let error = opened(&msgpack::FORMAT, &message, &[path]).unwrap_err();
        assert_eq!((error.kind(), error.fault()), (kind, Fault::Data), "{path}: {error}");
        assert_eq!(error.path().map(ToString::to_string).as_deref(), Some(path), "{error}");
        assert!(error.to_string().contains(part) && error.offset().is_some() && !error.advice().is_empty(), "{path}: {error}");
    }
    let mut sink = ValueSink::default();
    walker(&msgpack::FORMAT, &["doubled"], &Limits::DEFAULT).doubles(Doubles::Last).walk(&message, 0, &mut sink).unwrap();
    assert!(as_json(&sink.finish().unwrap()).contains("\"doubled\":{\"x\":2}"));
}

#[test]
fn limits_hold_for_the_message_with_all_that_is_inside() {
    let message = written(&json::FORMAT, &text_record(&[("a", Value::text("[[[[1]]]]")), ("b", Value::text("[1,2,3,4,5,6]"))]));
    let fails = |path: &str, limits: Limits| opened_within(&json::FORMAT, &message, &[path], &limits).err().map(|error| error.kind());
    assert_eq!(fails("a", Limits::DEFAULT.with_depth(5)), None);
    assert_eq!(fails("a", Limits::DEFAULT.with_depth(4)), Some(ErrorKind::Limit));
    assert_eq!(fails("b", Limits::DEFAULT.with_items(7)), None);
    assert_eq!(fails("b", Limits::DEFAULT.with_items(6)), Some(ErrorKind::Limit));
    // All payloads of a message share what may be decoded.
    let text = STANDARD.encode(format!("[\"{}\"]", "x".repeat(990)));
    let message = format!("[{}]", vec![format!("\"{text}\""); 10].join(","));
    let decoded = |decoded: u64| opened_within(&json::FORMAT, message.as_bytes(), &["."], &Limits::DEFAULT.with_decoded(decoded));
    assert!(decoded(9_940).is_ok());
    assert_eq!(decoded(9_939).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn bombs_are_bounded() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"[\"").unwrap();
    for _ in 0..1024 {
        encoder.write_all(&[b'0'; 1 << 16]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 400_000);
    let limits = Limits::DEFAULT.with_decoded(1 << 20);
    let message = written(&msgpack::FORMAT, &text_record(&[("a", Value::Bytes(bomb.clone()))]));
    let error = opened_within(&msgpack::FORMAT, &message, &["a"], &limits).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    let mut out = Vec::new();
    let contents = PAYLOADS.look(&bomb).expect("gzip");
    let error = PAYLOADS.decode(&bomb, &contents.codecs, &mut Budget::new(&limits), 0, &mut out).unwrap_err();
    assert_eq!((error.kind(), out.len() <= 1 << 20), (ErrorKind::Limit, true));
    let mut told = Vec::new();
    let options = Options { limits, payloads: Some(&PAYLOADS), depth: 1, ..Options::default() };
    let inspection = inspect(&msgpack::FORMAT, &message, &options, &mut |row| {
        if row.level > 0 {
            assert!(row.raw.len() <= 1 << 20);
            told.push(format!("{} {}", row.what.name(), row.value.chars().take(300).collect::<String>()));
        }
        Ok(())
    });
    assert!(inspection.expect("rows are taken").broken.is_none());
    assert!(told.last().is_some_and(|last| last.contains("expands to more than")), "{told:?}");
}

/// RFC 8878 3.1.1.1.2: a decoder may refuse a frame whose window is larger than it wants to hold.
#[test]
fn windows_beyond_8_mib_are_refused() {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(ORDER.as_bytes()).unwrap();
    let wide = encoder.finish().unwrap();
    let message = written(&msgpack::FORMAT, &text_record(&[("a", Value::Bytes(wide))]));
    assert!(opened(&msgpack::FORMAT, &message, &["a"]).is_err());
    let message = written(&msgpack::FORMAT, &text_record(&[("a", Value::Bytes(zstd::encode_all(ORDER.as_bytes(), 19).unwrap()))]));
    assert!(opened(&msgpack::FORMAT, &message, &["a"]).is_ok());
}

/// A message with payloads of each kind, three deep.
fn nested() -> Vec<u8> {
    let packed = written(&msgpack::FORMAT, &text_record(&[("json", Value::text(ORDER)), ("gz", Value::Bytes(gzip(ORDER.as_bytes())))]));
    let cbor = written(&cbor::FORMAT, &text_record(&[("packed", Value::Bytes(packed)), ("b64", Value::text(STANDARD.encode(ORDER)))]));
    let xml = format!("<e><f>{}</f><g>x</g></e>", ORDER.replace('"', "&quot;"));
    written(&cbor::FORMAT, &text_record(&[("cbor", Value::Bytes(cbor)), ("xml", Value::text(&xml)), ("n", Value::UInt(1))]))
}

#[test]
fn rows_of_payloads_tile_them_and_outer_rows_the_stream() {
    let bytes = nested();
    for depth in 0..5 {
        let options = Options { payloads: Some(&PAYLOADS), depth, ..Options::default() };
        let mut told = 0;
        // For each open payload: the offset reported so far, its end, and whether it lies in
        // the stream.
        let mut payloads: Vec<(u64, u64, bool)> = Vec::new();
        let mut deepest = 0;
        inspect(&cbor::FORMAT, &bytes, &options, &mut |row| {
            let level = row.level as usize;
            deepest = deepest.max(level);
            while payloads.len() > level || row.what == What::Payload && payloads.len() == level {
                let (told, end, _) = payloads.pop().expect("a payload");
                assert_eq!(told, end, "a payload is told to its end");
            }
            if row.what == What::Payload {
                payloads.push((row.at.start, row.at.end, !row.decoded));
                return Ok(());
            }
            let told = payloads.last_mut().map_or(&mut told, |payload| &mut payload.0);
            assert_eq!(row.bytes.start, *told, "{row:?}");
            *told = row.bytes.end;
            if !row.decoded {
                assert_eq!(row.raw, &bytes[row.bytes.start as usize..row.bytes.end as usize]);
            }
            Ok(())
        })
        .expect("rows are taken");
        assert_eq!((told, deepest), (bytes.len() as u64, depth.min(3) as usize));
    }
}

#[test]
fn values_say_what_they_hold_and_where() {
    let bytes = nested();
    let mut held = Vec::new();
    let options = Options { payloads: Some(&PAYLOADS), depth: 9, ..Options::default() };
    inspect(&cbor::FORMAT, &bytes, &options, &mut |row| {
        if row.what == What::Payload {
            let contents = row.holds.map(ToString::to_string).unwrap_or_default();
            held.push(format!("{} {contents}{}", row.level, if row.decoded { "" } else { " at its place" }));
            if !row.decoded {
                let inside = &bytes[row.at.start as usize..row.at.end as usize];
                assert_eq!(looks_like(inside), contents);
            }
        }
        Ok(())
    })
    .expect("rows are taken");
    let expected = [
        "1 cbor at its place",
        "2 msgpack at its place",
        "3 json at its place",
        "3 json in gzip",
        "2 json in base64",
        "1 xml at its place",
        "2 json",
    ];
    assert_eq!(held, expected);
}

#[test]
fn a_stream_in_a_payload_and_values_in_parts() {
    let stream = gzip(b"{\"a\":1}\n{\"a\":2}\n");
    let options = Options { payloads: Some(&PAYLOADS), depth: 1, ..Options::default() };
    let mut messages = Vec::new();
    inspect(&RAW, &stream, &options, &mut |row| {
        if row.what == What::Message && row.level == 1 {
            messages.push((row.message, row.at.start, row.at.end));
        }
        Ok(())
    })
    .expect("rows are taken");
    assert_eq!(messages, [(1, 8, 15)]);
    // CBOR's text of indefinite length, RFC 8949 3.2.3.
    let (one, other) = ORDER.split_at(20);
    let parts = [&b"\x7f\x78\x14"[..], one.as_bytes(), b"\x78", &[other.len() as u8], other.as_bytes(), b"\xff"].concat();
    let mut opened = 0;
    inspect(&cbor::FORMAT, &parts, &options, &mut |row| {
        opened += u32::from(row.what == What::Payload);
        Ok(())
    })
    .expect("rows are taken");
    assert_eq!(opened, 1);
}

/// Whatever bytes come, in whatever is around them: no panic, no loss of rows.
#[test]
fn mutated_payloads() {
    let mut rng = Rng::with_seed(5);
    let whole = nested();
    let seeds = [gzip(&whole), zstd(&whole), STANDARD.encode(&whole).into_bytes(), whole];
    let options = Options { payloads: Some(&PAYLOADS), depth: 4, ..Options::default() };
    let (mut read, mut refused) = (0, 0);
    for round in 0..4000 {
        let seed = testing::mutate(&mut rng, &seeds[round % 4]);
        for (format, paths) in [(&RAW, &[".", "cbor", "cbor.packed", "cbor.b64", "xml"][..]), (&cbor::FORMAT, &["cbor", "xml", "xml.e.f"])]
        {
            let mut told = 0;
            inspect(format, &seed, &options, &mut |row| {
                if row.level == 0 {
                    assert_eq!(row.bytes.start, told);
                    told = row.bytes.end;
                }
                Ok(())
            })
            .expect("rows are taken");
            assert_eq!(told, seed.len() as u64);
            match opened(format, &seed, paths) {
                Ok(_) => read += 1,
                Err(error) => {
                    assert_ne!(error.fault(), Fault::Us, "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn xml_siblings_in_a_payload_are_grouped_for_those_who_ask() {
    let message = written(&json::FORMAT, &text_record(&[("x", Value::text("<a><b>1</b><c/><b>2</b></a>"))]));
    let mut writer = (json::FORMAT.writer.expect("a writer"))();
    walker(&json::FORMAT, &["x"], &Limits::DEFAULT).walk(&message, 0, &mut *writer).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    let shown = String::from_utf8(out).unwrap();
    assert!(shown.contains("\"b\":[\"1\",\"2\"]"), "{shown}");
    assert_eq!(xml::FORMAT.repeats, polywire_core::format::Repeats::List);
}
