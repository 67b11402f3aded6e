//! CBOR's diagnostic notation: the examples of RFC 8949 in both directions, other spellings,
//! mistakes with their places, comments, random values.

use fastrand::Rng;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::walk::{Indent, Layout};
use polywire_core::{ErrorKind, Limits};
use polywire_formats::cbor_diag::FORMAT;
use polywire_formats::{cbor, json, yaml};
use polywire_testing::{self as testing, Shape};

/// Examples of RFC 8949, appendix A, and of section 8.1: bytes, and the notation that is written.
const EXAMPLES: &[(&str, &str)] = &[
    ("00", "0"),
    ("17", "23"),
    ("1818", "24"),
    ("1903e8", "1000"),
    ("1bffffffffffffffff", "18446744073709551615"),
    ("c249010000000000000000", "18446744073709551616"),
    ("3bffffffffffffffff", "-18446744073709551616"),
    ("c349010000000000000000", "-18446744073709551617"),
    ("20", "-1"),
    ("3903e7", "-1000"),
    ("1800", "0_0"),
    ("190001", "1_1"),
    ("1a00000001", "1_2"),
    ("3b0000000000000000", "-1_3"),
    ("f90000", "0.0"),
    ("f98000", "-0.0"),
    ("fb3ff199999999999a", "1.1"),
    ("f93e00", "1.5"),
    ("fa3fc00000", "1.5_2"),
    ("fb3ff8000000000000", "1.5_3"),
    ("f97bff", "65504.0"),
    ("fa47c35000", "100000.0"),
    ("fa7f7fffff", "3.4028234663852886e38"),
    ("fb7e37e43c8800759c", "1e300"),
    ("f90001", "5.960464477539063e-8"),
    ("fbc010666666666666", "-4.1"),
    ("f97c00", "Infinity"),
    ("f97e00", "NaN"),
    ("f9fc00", "-Infinity"),
    ("fa7f800000", "Infinity_2"),
    ("fa7fc00000", "NaN_2"),
    ("faff800000", "-Infinity_2"),
    ("fb7ff0000000000000", "Infinity_3"),
    ("fb7ff8000000000000", "NaN_3"),
    ("fb7ff8000000000001", "float'7ff8000000000001'"),
    ("f4", "false"),
    ("f5", "true"),
    ("f6", "null"),
    ("f7", "undefined"),
    ("f0", "simple(16)"),
    ("f8ff", "simple(255)"),
    ("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")"),
    ("c11a514b67b0", "1(1363896240)"),
    ("c1fb41d452d9ec200000", "1(1363896240.5)"),
    ("d74401020304", "23(h'01020304')"),
    ("d818456449455446", "24(h'6449455446')"),
    ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "32(\"http://www.example.com\")"),
    ("c48221196ab3", "4([-2, 27315])"),
    ("40", "h''"),
    ("4401020304", "h'01020304'"),
    ("60", "\"\""),
    ("62225c", "\"\\\"\\\\\""),
    ("62c3bc", "\"ü\""),
    ("64f0908591", "\"𐅑\""),
    ("80", "[]"),
    ("8301820203820405", "[1, [2, 3], [4, 5]]"),
    ("a0", "{}"),
    ("a201020304", "{1: 2, 3: 4}"),
    ("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"),
    ("826161a161626163", "[\"a\", {\"b\": \"c\"}]"),
    ("5f42010243030405ff", "(_ h'0102', h'030405')"),
    ("7f657374726561646d696e67ff", "(_ \"strea\", \"ming\")"),
    ("9fff", "[_ ]"),
    ("9f018202039f0405ffff", "[_ 1, [2, 3], [_ 4, 5]]"),
    ("83018202039f0405ff", "[1, [2, 3], [_ 4, 5]]"),
    ("bf61610161629f0203ffff", "{_ \"a\": 1, \"b\": [_ 2, 3]}"),
    ("826161bf61626163ff", "[\"a\", {_ \"b\": \"c\"}]"),
    ("bfff", "{_ }"),
];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()).collect()
}

/// Converts a message that loses nothing.
fn converted(from: &'static Format, to: &'static Format, message: &[u8]) -> Vec<u8> {
    let (mut out, mut writer) = (Vec::new(), to.writer.unwrap()());
    let mut walker = Walker::new(from, &Limits::DEFAULT);
    walker.meets(&mut *writer);
    let shown = String::from_utf8_lossy(message);
    walker.walk(message, 0, &mut *writer).unwrap_or_else(|error| panic!("{shown}: {error}"));
    writer.finish(&mut out).unwrap();
    assert!(writer.losses().is_empty(), "{shown}");
    out
}

fn cbor_of(text: &str) -> Vec<u8> {
    converted(&FORMAT, &cbor::FORMAT, text.as_bytes())
}

#[test]
fn the_examples_of_the_rfc_come_back_in_both_directions() {
    for (hex, text) in EXAMPLES {
        let cbor = bytes(hex);
        assert_eq!(String::from_utf8(converted(&cbor::FORMAT, &FORMAT, &cbor)).unwrap(), *text, "{hex}");
        assert_eq!(cbor_of(text), cbor, "{text}");
        assert_eq!(converted(&FORMAT, &FORMAT, text.as_bytes()), text.as_bytes(), "{text}");
    }
}

#[test]
fn values_have_other_spellings() {
    for (text, same) in [
        ("0x1F", "31"),
        ("-0b11_1", "-3_1"),
        ("0o17", "15"),
        ("1_i", "1"),
        ("0x1.8p0", "1.5"),
        ("1e1", "10.0"),
        ("simple(20)", "false"),
        ("simple(23)", "undefined"),
        ("'it\\'s'", "h'69742773'"),
        ("h'01 02 /two/ 0\n3 # three\n'", "h'010203'"),
        ("b64'AQID'", "h'010203'"),
        ("b64'_-8='", "h'ffef'"),
        ("b32'AEBAG==='", "h'010203'"),
        ("h32'0410g'", "h'010208'"),
        ("''_", "h''"),
        ("\"\"_", "\"\""),
        ("<<1, [2]>>", "h'018102'"),
        ("<<>>", "h''"),
        ("<<<<1>>, 'a'>>", "h'41014161'"),
        ("'a' + h'62' + <<1>>", "h'616201'"),
        ("\"a\" + /b/ \"b\" + 'c'", "\"abc\""),
        ("\"\\u00fc\\ud83d\\ude00\\u{1f600}\"", "\"ü😀😀\""),
        ("[1 2 'a' 3,]", "[1, 2, h'61', 3]"),
        ("{\"a\": \"b\" \"c\": 1 /end/ }", "{\"a\": \"b\", \"c\": 1}"),
        ("# before\n[/first/ 1, # rest\n2]", "[1, 2]"),
        ("[_1 1]", "[1]"),
        ("{_0 }", "{}"),
        ("\"a\"_2", "\"a\""),
        ("1_1(2)", "1(2)"),
        ("  55799( 1 )  ", "1"),
    ] {
        testing::assert_same(
            &testing::value_of(&FORMAT, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")),
            &testing::value_of(&FORMAT, same.as_bytes()).unwrap(),
            text,
        );
    }
}

#[test]
fn mistakes_have_their_places() {
    for (text, kind, at) in [
        ("", ErrorKind::Truncated, 0),
        ("[1, 2", ErrorKind::Truncated, 5),
        ("[1; 2]", ErrorKind::Syntax, 2),
        ("{1, 2}", ErrorKind::Syntax, 2),
        ("{1: }", ErrorKind::Syntax, 4),
        ("{1}", ErrorKind::Syntax, 2),
        ("1(2", ErrorKind::Truncated, 3),
        ("1(2, 3)", ErrorKind::Syntax, 3),
        ("-1(2)", ErrorKind::Syntax, 0),
        ("01", ErrorKind::Syntax, 0),
        ("tru", ErrorKind::Syntax, 0),
        ("h'0'", ErrorKind::Syntax, 2),
        ("h'0g'", ErrorKind::Syntax, 3),
        ("x'00'", ErrorKind::Syntax, 0),
        ("h\"00\"", ErrorKind::Syntax, 0),
        ("\"a\\x\"", ErrorKind::Syntax, 2),
        ("\"a", ErrorKind::Truncated, 2),
        ("/a", ErrorKind::Truncated, 2),
        ("[\"a\" \"b\"]", ErrorKind::Syntax, 5),
        ("(_ 1)", ErrorKind::Syntax, 3),
        ("(_ 'a', \"b\")", ErrorKind::Syntax, 8),
        ("(_ )", ErrorKind::Syntax, 3),
        ("(1)", ErrorKind::Syntax, 1),
        ("\"\" + 1", ErrorKind::Syntax, 5),
        ("\"\" + h'ff'", ErrorKind::Encoding, 0),
        ("256_0", ErrorKind::Syntax, 0),
        ("1.1_1", ErrorKind::Syntax, 0),
        ("1_9", ErrorKind::Syntax, 2),
        ("simple(24)", ErrorKind::Syntax, 7),
        ("simple(256)", ErrorKind::Syntax, 7),
        ("[1, ...]", ErrorKind::Syntax, 4),
        ("<<1", ErrorKind::Truncated, 3),
        ("float'00'", ErrorKind::Syntax, 0),
        ("1 2", ErrorKind::Trailing, 2),
        ("18446744073709551616_3", ErrorKind::Syntax, 0),
    ] {
        let error = testing::value_of(&FORMAT, text.as_bytes()).expect_err(text);
        assert_eq!((error.kind(), error.offset()), (kind, Some(at)), "{text}: {error}");
    }
    assert_eq!(testing::value_of(&FORMAT, b"[\xff]").expect_err("no UTF-8").kind(), ErrorKind::Encoding);
}

#[test]
fn limits_hold() {
    let walk = |text: &str, limits: &Limits| {
        let mut writer = json::FORMAT.writer.unwrap()();
        Walker::new(&FORMAT, limits).walk(text.as_bytes(), 0, &mut *writer).map_err(|error| (error.kind(), error.offset()))
    };
    let limit = |at| Err((ErrorKind::Limit, Some(at)));
    assert_eq!(walk(&"[".repeat(100_000), &Limits::DEFAULT), limit(512));
    assert_eq!(walk(&"<<".repeat(100_000), &Limits::DEFAULT), limit(1024));
    assert_eq!(walk(&"1(".repeat(100_000), &Limits::DEFAULT), limit(1024));
    assert_eq!(walk("[1, 2, 3]", &Limits::DEFAULT.with_items(3)), limit(7));
    assert_eq!(walk(&"9".repeat(5000), &Limits::DEFAULT), limit(0));
    assert_eq!(walk("[1_3, 1_3, 1_3]", &Limits::DEFAULT.with_decoded(20)), limit(0));
}

#[test]
fn comments_are_remarks_between_values() {
    let text = "# head\n{/one/ \"a\": /not here/ 1, \"b\": [2, /in a list/ 3]} /last/";
    let (mut out, mut writer) = (Vec::new(), yaml::FORMAT.writer.unwrap()());
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(text.as_bytes(), 0, &mut *writer).unwrap();
    writer.finish(&mut out).unwrap();
    let lost: Vec<(&str, u64)> = writer.losses().iter().map(|lost| (lost.what, lost.at.start)).collect();
    assert_eq!(lost.len(), 5, "{lost:?}");
    assert!(lost.iter().all(|(what, _)| *what == "comment dropped"));
    assert_eq!(lost[0].1, 0);
}

#[test]
fn lines_are_laid_out() {
    let mut writer = FORMAT.writer.unwrap()();
    assert!(writer.lay_out(&Layout::COMPACT.with_indent(Some(Indent::Spaces(2)))));
    let mut walker = Walker::new(&cbor::FORMAT, &Limits::DEFAULT);
    walker.meets(&mut *writer);
    let message = cbor_of("{\"a\": [1, [_ ], {}], 2: 24([_ {3: h''}])}");
    walker.walk(&message, 0, &mut *writer).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    let text = "{\n  \"a\": [\n    1,\n    [_ ],\n    {}\n  ],\n  2: 24([_\n    {\n      3: h''\n    }\n  ])\n}";
    assert_eq!(String::from_utf8(out).unwrap(), text);
    assert_eq!(cbor_of(text), message);
}

#[test]
fn values_keep_what_cbor_keeps() {
    let mut rng = Rng::with_seed(49);
    for _ in 0..3_000 {
        let value = testing::value(&mut rng, Shape::ANY);
        let (cbor, lost) = testing::written(&cbor::FORMAT, &value);
        let (text, noted) = testing::written(&FORMAT, &value);
        assert_eq!(lost, noted);
        let shown = String::from_utf8(text.clone()).unwrap();
        let again = testing::value_of(&FORMAT, &text).unwrap_or_else(|error| panic!("{shown}: {error}"));
        testing::assert_same(&again, &testing::value_of(&cbor::FORMAT, &cbor).unwrap(), &shown);
        testing::assert_same(&testing::value_of(&FORMAT, format!("/a/ {shown} # b").as_bytes()).unwrap(), &again, &shown);
    }
}

#[test]
fn messages_follow_each_other() {
    let text = b"1, [2,\n3] {\"a\": 'b'}\n/x/ 4 # end\n";
    let frames = testing::frames(&FORMAT, text, &[3, 7, 11, text.len()]);
    let found: Vec<&str> = frames.iter().flatten().map(|(from, to)| std::str::from_utf8(&text[*from..*to]).unwrap()).collect();
    assert_eq!(found, ["1", "[2,\n3]", "{\"a\": 'b'}", "/x/ 4 # end\n"]);
}
