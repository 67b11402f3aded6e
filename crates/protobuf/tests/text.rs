//! The text format: allowed texts are read, forbidden ones refused at their mistake.

use std::sync::Arc;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::{Budget, ErrorKind, Limits, Result};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source;
use polywire_protobuf::testing::bodies;
use polywire_protobuf::text::{TextParser, TextPrinter};

fn parse(kind: usize, text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    TextParser::new(Arc::clone(&bodies::plans()[kind])).parse(text.as_bytes(), 0, &mut out, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(out)
}

fn print(kind: usize, bytes: &[u8]) -> String {
    let mut out = Vec::new();
    TextPrinter::new(Arc::clone(&bodies::plans()[kind])).print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn all_spellings_mean_the_same() {
    for (kind, text, canonical) in [
        (1, "# a comment\ns: \"a\" 'b\\x41\\101\\u00e4'; d: 1.5f, i: -0x10 x: 017", "d: 1.5\ni: -16\nx: 15\ns: \"abAAä\"\n"),
        (1, "f: -Infinity b: t e: 5", "f: -inf\nb: true\ne: Y\n"),
        (1, "p: [1, -2] p: 3 t: [] r [{}, <i: 1>] one { }", "r {\n}\nr {\n  i: 1\n}\none {\n}\np: 1\np: -2\np: 3\n"),
        (1, "m { value { } key: 2 }", "m {\n  key: 2\n  value {\n  }\n}\n"),
        (0, "a: 1 G { s: \"x\" } [x]: -5 es: [Y, X]", "a: 1\nG {\n  s: \"x\"\n}\nes: Y\nes: X\n[x]: -5\n"),
        (
            2,
            "a { [type.googleapis.com/google.protobuf.Duration] { seconds: 1 } }",
            "a {\n  type_url: \"type.googleapis.com/google.protobuf.Duration\"\n  value: \"\\010\\001\"\n}\n",
        ),
    ] {
        let bytes = parse(kind, text).unwrap_or_else(|error| panic!("{error} of {text}"));
        let printed = print(kind, &bytes);
        assert_eq!(printed, canonical, "{text}");
        assert_eq!(parse(kind, &printed).unwrap(), bytes, "{text}");
    }
    // Defaults without presence are not written, those with presence are.
    assert_eq!(parse(1, "i: 0 q: 0 s: ''").unwrap(), [0x80, 0x01, 0x00]);
}

/// Returns a parser and a printer of the message `M` of a schema.
fn of(schema: &str) -> (TextParser, TextPrinter) {
    let text = SchemaText { name: "m.proto", bytes: schema.as_bytes(), identity: "m.proto" };
    let protos = source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    let plan = Arc::new(Plan::named(&protos.pool, Some("M")).unwrap());
    (TextParser::new(Arc::clone(&plan)), TextPrinter::new(plan))
}

fn parse_by(schema: &str, text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    of(schema).0.parse(text.as_bytes(), 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map(|()| out)
}

#[test]
fn a_group_and_an_extension_of_its_name_are_apart() {
    let schema = "syntax = \"proto2\"; message M { optional group Foo = 201 { optional int32 a = 1; } extensions 100 to 200; }
                  extend M { optional group Foo = 121 { optional int32 a = 1; } optional int32 bare = 122; }";
    let own = [0xcb, 0x0c, 8, 1, 0xcc, 0x0c];
    let extension = [0xcb, 0x07, 8, 1, 0xcc, 0x07];
    assert_eq!(parse_by(schema, "Foo { a: 1 }").unwrap(), own);
    assert_eq!(parse_by(schema, "foo { a: 1 }").unwrap(), own);
    assert_eq!(parse_by(schema, "[foo] { a: 1 }").unwrap(), extension);
    for (bytes, expected) in [(own, "Foo {\n  a: 1\n}\n"), (extension, "[foo] {\n  a: 1\n}\n")] {
        let mut out = Vec::new();
        of(schema).1.print(&bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert_eq!(parse_by(schema, expected).unwrap(), bytes);
    }
    // An extension has no name without its brackets, and they no name with spaces for letters.
    for bad in ["bare: 1", "foo: 1", "[Foo] { a: 1 }", "FOO { a: 1 }", "[bar]: 1"] {
        assert!(parse_by(schema, bad).is_err(), "{bad}");
    }
    assert_eq!(parse_by(schema, "[bare]: 1").unwrap(), [0xd0, 0x07, 1]);
}

#[test]
fn reserved_names_are_stepped_over() {
    let schema = "syntax = \"proto3\"; message M { reserved \"gone\", \"away\"; int32 a = 1; }";
    for text in [
        "gone: 1 a: 7",
        "gone: -1.5e3, a: 7",
        "gone: \"x\" 'y'; a: 7",
        "gone { a: 1 b < c: \"}\" > [x.y/z] { } } a: 7",
        "gone: [1, \"2\", { a: [] }, < >] away: { } a: 7",
        "a: 7 away: [] gone { x: [a, b] y: { } ; z { }, }",
    ] {
        assert_eq!(parse_by(schema, text).unwrap_or_else(|error| panic!("{error}: {text}")), [8, 7], "{text}");
    }
    for bad in [
        "gone a: 7",
        "gone: [1,] a: 7",
        "gone: [1 2] a: 7",
        "gone { a } a: 7",
        "gone { , } a: 7",
        "gone: [[1]] a: 7",
        "gone: { > a: 7",
        "gone: ",
        "other: 1",
    ] {
        assert!(parse_by(schema, bad).is_err(), "{bad}");
    }
    let deep = format!("gone {} a: 7", "{ gone ".repeat(5000));
    assert_eq!(parse_by(schema, &deep).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn mistakes_are_told_where_they_stand() {
    for (kind, text, error, at) in [
        (1, "nothing: 1", ErrorKind::Syntax, 0),
        (1, "i: 1 i: 2", ErrorKind::Syntax, 5),
        (1, "two: '' three: 1", ErrorKind::Syntax, 8),
        (1, "p: [1,]", ErrorKind::Syntax, 6),
        (1, "p: [,]", ErrorKind::Syntax, 4),
        (1, "p: [1 2]", ErrorKind::Syntax, 6),
        (1, "r: [{},]", ErrorKind::Syntax, 7),
        (0, "a: 1 x: 1", ErrorKind::Syntax, 5),
        (1, "x: 4294967296", ErrorKind::Syntax, 2),
        (1, "x: -1", ErrorKind::Syntax, 2),
        (1, "i 1", ErrorKind::Syntax, 2),
        (1, "s: \"a", ErrorKind::Truncated, 5),
        (1, "s: \"\\q\"", ErrorKind::Syntax, 3),
        (1, "s: \"\\xff\"", ErrorKind::Encoding, 2),
        (1, "one {", ErrorKind::Truncated, 5),
        (1, "one { >", ErrorKind::Syntax, 6),
        (1, "}", ErrorKind::Syntax, 0),
        (1, "e: NONE", ErrorKind::Syntax, 2),
        (0, "e: Y", ErrorKind::Truncated, 4),
        (0, "a: 1 e: 7", ErrorKind::Syntax, 7),
        (2, "a { [x/No] { } }", ErrorKind::Syntax, 4),
    ] {
        let found = parse(kind, text).expect_err(text);
        assert_eq!((found.kind(), found.offset()), (error, Some(at)), "{found} of {text}");
    }
}
