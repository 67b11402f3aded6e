//! Numbers from format to format: digits that stay, decimals that are floats, and decimals that are
//! rounded.

mod common;

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use common::{command, fed};

/// Number of points of the map, each of two coordinates.
const POINTS: usize = 50_000;

/// Runs a command on `input`; returns its exit code, output and messages.
fn run(args: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let output = fed(command(args), input);
    (output.status.code().unwrap_or(-1), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Converts `input` without a loss.
fn converted(from: &str, to: &str, input: &[u8], more: &[&str]) -> Vec<u8> {
    let (code, out, messages) = run(&[&["convert", "--from", from, "--to", to], more].concat(), input);
    assert_eq!((code, messages.as_str()), (0, ""), "{from} to {to}");
    out
}

/// Returns a folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Returns the points of a map as maps on the web have them: 17 significant digits, most of which
/// are not the shortest of their float.
fn points() -> Vec<[String; 2]> {
    // Knuth's linear congruential generator; its upper bits are the better ones.
    let mut state = 17u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let mut coordinate = |low: f64, high: f64| {
        let value = low + (high - low) * (random() as f64 / (1u64 << 53) as f64);
        // Most have few digits of their own, as survey data has.
        let value = if random() % 3 > 0 { (value * 1e6).round() / 1e6 } else { value };
        let text = format!("{value:.15}");
        if random() % 2 == 0 { format!("{}0", text.trim_end_matches('0')) } else { text }
    };
    (0..POINTS).map(|_| [coordinate(-141.0, -52.0), coordinate(41.0, 83.0)]).collect()
}

/// Returns the points as one JSON value: a list of pairs.
fn pairs(points: &[[String; 2]]) -> Vec<u8> {
    let mut json = String::from("{\"coordinates\":[");
    for (n, [x, y]) in points.iter().enumerate() {
        let comma = if n > 0 { "," } else { "" };
        write!(json, "{comma}[{x},{y}]").expect("a string takes all");
    }
    json.push_str("]}\n");
    json.into_bytes()
}

#[test]
fn a_map_of_a_hundred_thousand_coordinates_stays_a_map() {
    let points = points();
    let shortest = points.iter().flatten().filter(|text| format!("{:?}", text.parse::<f64>().unwrap()) == **text).count();
    assert!(shortest < POINTS, "{shortest} of {} coordinates have their shortest digits", 2 * POINTS);
    let json = pairs(&points);
    let folder = folder("map");
    std::fs::write(folder.join("map.json"), &json).unwrap();

    // Each coordinate takes the bytes of a 64-bit float: no text, no tag, no Decimal128.
    let heads = |list: usize| 1 + "coordinates".len() + 1 + list;
    let index: usize = (0..POINTS).map(|n| n.to_string().len()).sum();
    for (format, bytes) in [
        ("msgpack", heads(3) + POINTS * (1 + 2 * 9)),
        ("cbor", heads(3) + POINTS * (1 + 2 * 9)),
        // Documents of length, type, name and zero.
        ("bson", 5 + (1 + "coordinates".len() + 1) + 5 + index + POINTS * (2 + 5 + 2 * (3 + 8))),
    ] {
        let binary = converted("json", format, &json, &[]);
        assert_eq!(binary.len(), bytes, "{format}");
        let other = folder.join(format!("map.{format}"));
        std::fs::write(&other, &binary).unwrap();
        let (code, out, messages) = run(&["diff", folder.join("map.json").to_str().unwrap(), other.to_str().unwrap()], b"");
        assert_eq!((code, out.len(), messages.as_str()), (0, 0, ""), "{format}");
    }

    // The digits stay, on the way there and back.
    assert!(converted("json", "json", &json, &[]) == json, "JSON has other digits");
    for format in ["yaml", "xml"] {
        let text = converted("json", format, &json, &[]);
        let tokens: HashSet<&str> = std::str::from_utf8(&text).unwrap().split(|c: char| !matches!(c, '0'..='9' | '-' | '.')).collect();
        let missing = points.iter().flatten().find(|digits| !tokens.contains(digits.as_str()));
        assert_eq!(missing, None, "{format}");
        assert!(converted(format, "json", &text, &[]) == json, "{format} has other digits");
    }
}

#[test]
fn schemas_with_floats_hold_the_map() {
    let points = points();
    let mut json = String::from("{\"points\":[");
    for (n, [x, y]) in points.iter().enumerate() {
        write!(json, "{}{{\"x\":{x},\"y\":{y}}}", if n > 0 { "," } else { "" }).expect("a string takes all");
    }
    json.push_str("]}\n");
    let folder = folder("schemas");
    std::fs::write(folder.join("map.json"), &json).unwrap();
    for (format, name, schema, root, overhead) in [
        (
            "protobuf",
            "map.proto",
            "syntax = \"proto3\"; message Point { double x = 1; double y = 2; } message Map { repeated Point points = 1; }",
            "Map",
            2 + 2,
        ),
        ("extprot", "map.extprot", "type point = { x : float; y : float }\nmessage map = { points : [ point ] }\n", "map", 3 + 2),
        ("usds", "map.udic", "USDS 0: Maps 0.0 { 1: Map { 1: Point[] points; }; 2: Point { 1: DOUBLE x; 2: DOUBLE y; }; }\n", "Map", 0),
    ] {
        let schema = write_file(&folder.join(name), schema);
        let bound = ["--schema", &schema, "--type", root];
        let binary = converted("json", format, json.as_bytes(), &bound);
        let beyond = binary.len() - POINTS * (16 + overhead);
        assert!(beyond < 16, "{format}: {beyond} bytes beside the floats");
        let back = converted(format, "msgpack", &binary, &bound);
        let other = folder.join("back.msgpack");
        std::fs::write(&other, back).unwrap();
        let (code, out, _) = run(&["diff", folder.join("map.json").to_str().unwrap(), other.to_str().unwrap()], b"");
        assert_eq!((code, out.len()), (0, 0), "{format}");
    }
}

#[test]
fn floats_of_32_bits_are_rounded_once() {
    let folder = folder("singles");
    let proto = write_file(&folder.join("s.proto"), "syntax = \"proto3\"; message S { float f = 1; }");
    let usds = write_file(&folder.join("s.udic"), "USDS 0: N 0.0 { 1: S { 1: FLOAT f; }; }\n");
    for (digits, nearest) in [
        // Less than halfway between two binary32 numbers, and halfway as a binary64 number.
        ("1.37339848279953", 1.373_398_4_f32),
        ("1.0000001788139343", 1.000_000_1),
        ("1.00000017881393432617187499", 1.000_000_1),
    ] {
        for (format, schema) in [("protobuf", &proto), ("usds", &usds)] {
            let json = format!("{{\"f\":{digits}}}");
            let args = ["convert", "--from", "json", "--to", format, "--schema", schema, "--type", "S", "--lossy"];
            let (code, out, messages) = run(&args, json.as_bytes());
            assert!(code == 0 && messages.contains("rounded"), "{format}: {messages}");
            assert_eq!(out[out.len() - 4..], nearest.to_le_bytes(), "{format} {digits}");
        }
    }
}

fn write_file(path: &Path, text: &str) -> String {
    std::fs::write(path, text).expect("a file");
    path.to_str().expect("a path of text").to_string()
}

#[test]
fn digits_stay_as_they_came_to_text_formats() {
    let json = "[1.0,1e5,1E+2,-0.0,-0,0.10,1.50,0.0,0e7,1e-05,-65.613616999999977,12345678901234567890.5,1e400,\
        0.10000000000000000001,100,18446744073709551616,9007199254740993.0,5e-324,1.7976931348623157e308]\n";
    for format in ["json", "yaml", "xml"] {
        let text = converted("json", format, json.as_bytes(), &[]);
        let back = converted(format, "json", &text, &[]);
        assert_eq!(String::from_utf8_lossy(&back), json, "{format}: {}", String::from_utf8_lossy(&text));
    }
    // A part of a message, and names that come twice.
    let out = converted("json", "json", b"{\"a\":[1.50,2],\"b\":1e5}", &["--select", "a[0],b"]);
    assert_eq!(String::from_utf8_lossy(&out), "{\"a\":[1.50],\"b\":1e5}\n");
    let out = converted("json", "json", b"{\"a\":1.50,\"a\":2.50}", &["--duplicate-keys", "last"]);
    assert_eq!(String::from_utf8_lossy(&out), "{\"a\":2.50}\n");
    // An integer's spelling does not make an integer of a float.
    assert_eq!(converted("yaml", "json", b"!!float 3\n", &[]), b"3.0\n");
}

#[test]
fn decimals_are_rounded_or_text_as_the_caller_wants() {
    let json = b"[0.10000000000000000001]";
    let (code, out, messages) = run(&["convert", "--from", "json", "--to", "msgpack"], json);
    assert_eq!((code, out), (1, [&[0x91, 0xcb][..], &0.1f64.to_be_bytes()].concat()));
    assert!(messages.contains("rounded"), "{messages}");
    let (code, out, messages) = run(&["convert", "--from", "json", "--to", "msgpack", "--numbers", "text"], json);
    assert_eq!((code, out), (1, b"\x91\xb60.10000000000000000001".to_vec()));
    assert!(messages.contains("became text"), "{messages}");
    assert_eq!(run(&["convert", "--from", "json", "--to", "msgpack", "--numbers", "nearest", "--lossy"], json).0, 0);
    // Formats with decimals hold it, either way.
    for more in [&[][..], &["--numbers", "text"]] {
        let to = |format: &str| converted("json", format, json, more);
        assert_eq!(to("cbor"), b"\x81\xc4\x82\x33\x1b\x8a\xc7\x23\x04\x89\xe8\0\x01");
        assert_eq!(to("yaml"), b"---\n- 0.10000000000000000001\n");
        assert!(String::from_utf8_lossy(&to("xml")).contains("<i>0.10000000000000000001</i>"));
        let bson = converted("json", "bson", b"{\"a\":0.10000000000000000001}", more);
        assert_eq!((bson.len(), bson[4]), (4 + 3 + 16 + 1, 0x13), "{bson:x?}");
    }
}

#[test]
fn numbers_that_came_as_decimals_stay_decimals() {
    // 4([-2, 150]) and 4([-20, 10000000000000000001]).
    let cbor = b"\x82\xc4\x82\x21\x18\x96\xc4\x82\x33\x1b\x8a\xc7\x23\x04\x89\xe8\0\x01";
    assert_eq!(converted("cbor", "json", cbor, &[]), b"[1.50,0.10000000000000000001]\n");
    assert_eq!(converted("cbor", "cbor", cbor, &[]), cbor);
    // By way of XML, which has a mark for them.
    let xml = converted("cbor", "xml", cbor, &[]);
    assert_eq!(converted("xml", "cbor", &xml, &[]), cbor, "{}", String::from_utf8_lossy(&xml));
    // A float holds the first one; the second one is not rounded.
    let (code, out, messages) = run(&["convert", "--from", "cbor", "--to", "msgpack"], cbor);
    assert_eq!((code, out), (1, [&[0x92, 0xcb][..], &1.5f64.to_be_bytes(), b"\xb60.10000000000000000001"].concat()), "{messages}");
}

#[test]
fn huge_exponents_take_no_time() {
    let json = "[1e1000000000,-1E+99999999999999999999,1e-1000000000,0.1e-99999999999999999999999999999999999999,0e1000000000]\n";
    assert_eq!(converted("json", "json", json.as_bytes(), &[]), json.as_bytes());
    for format in ["yaml", "xml", "csv"] {
        let input = if format == "csv" { "{\"a\":1e1000000000,\"b\":-1E+99999999999999999999,\"c\":1e-1000000000}\n" } else { json };
        let text = converted("json", format, input.as_bytes(), &[]);
        assert_eq!(String::from_utf8_lossy(&converted(format, "json", &text, &[])), input, "{format}");
    }
    for format in ["msgpack", "cbor", "bencode", "psyc"] {
        let (code, out, messages) = run(&["convert", "--from", "json", "--to", format, "--lossy"], json.as_bytes());
        assert!(code == 0 && out.len() < 400, "{format}: {code} {} {messages}", out.len());
    }
    let one = folder("exponents").join("one.json");
    std::fs::write(&one, "[1e99999999999999999999]").unwrap();
    let diff = |other: &str| run(&["diff", one.to_str().unwrap(), "-", "--from", "json"], other.as_bytes()).0;
    assert_eq!([diff("[1e-99999999999999999999]"), diff("[10e99999999999999999998]")], [1, 0]);
}
