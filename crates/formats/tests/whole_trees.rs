//! Writers that take a whole tree at once write what they write of its events.

use fastrand::Rng;
use polywire_core::format::Format;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::{Len, Limits, Lost, Open, Sink, Span, Tree, Value};
use polywire_formats::registry::FORMATS;
use polywire_formats::{cbor, json, msgpack};
use polywire_testing::{Shape, value};

/// The bytes and losses of a message, or the words of the error.
type Written = Result<(Vec<u8>, Vec<Lost>), String>;

fn both_ways(format: &Format, tree: &Tree<'_>) -> Option<[Written; 2]> {
    let make = format.writer?;
    Some([true, false].map(|whole| -> Written {
        let (mut writer, mut out) = (make(), b"before".to_vec());
        // A second message shows whether the first left anything.
        for _ in 0..2 {
            let played = if whole { writer.tree(tree) } else { tree.emit(&mut *writer) };
            played.and_then(|()| writer.finish(&mut out)).map_err(|error| error.to_string())?;
        }
        Ok((out, writer.losses()))
    }))
}

fn check(tree: &Tree<'_>, what: &str) {
    for format in FORMATS {
        if let Some([whole, events]) = both_ways(format, tree) {
            assert_eq!(whole, events, "{}: {what}", format.name);
        }
    }
}

#[test]
fn random_values_are_the_same_both_ways() {
    let mut rng = Rng::with_seed(19);
    for round in 0..3_000 {
        let shape = if round % 2 == 0 { Shape::PLAIN } else { Shape::ANY };
        let value = value(&mut rng, shape);
        let mut tree = Tree::new();
        value.emit(&mut tree).expect("a tree takes any value");
        check(&tree, &format!("{value:?}"));
    }
}

#[test]
fn messages_of_each_format_are_the_same_both_ways() {
    let examples: [(&'static Format, &[u8]); 12] = [
        (&json::FORMAT, br#"{"a":[1,-2,3.50,1e400,-0,0.1,1E2],"b":{"c":"d\"\\\n\u0001\u00e9"},"":null,"t":[true,false,{},[]]}"#),
        (&json::FORMAT, br#"[18446744073709551615,-9223372036854775808,18446744073709551616,9,10,4294967296,65536,256,24,23]"#),
        (&json::FORMAT, br#""a text of more than thirty-two bytes, which has \"quotes\" in it""#),
        (&json::FORMAT, b"\"\""),
        (&json::FORMAT, b"[[[[[[]]]],{}]]"),
        (&json::FORMAT, br#"{"a":1,"a":2}"#),
        (&cbor::FORMAT, b"\xa2\x01\x02\x61a\x82\xf6\xf5"),
        (&cbor::FORMAT, b"\x84\x18\x01\x39\xff\xff\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00"),
        (&cbor::FORMAT, b"\xc1\x1a\x51\x4b\x67\xb0"),
        (&cbor::FORMAT, b"\xbf\x61a\x9f\xf9\x3c\x00\xc4\x82\x21\x19\x6a\xb3\xff\xff"),
        (&msgpack::FORMAT, b"\x93\xcc\x01\xd0\x80\xc4\x01\xff"),
        (&msgpack::FORMAT, b"\x81\xd9\x01a\xd6\xff\x5a\x4a\xf6\xa5"),
    ];
    for (format, bytes) in examples {
        let mut tree = Tree::new();
        Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep).walk(bytes, 0, &mut tree).expect("a message");
        check(&tree, &String::from_utf8_lossy(bytes));
    }
}

#[test]
fn texts_and_lists_of_all_sizes_are_the_same_both_ways() {
    let long = "a text of any length ".repeat(4_000);
    for length in (0..70).chain([254, 255, 256, 257, 65_535, 65_536, 80_000]) {
        let text = &long[..length];
        let values = Value::List(vec![Value::text(text), Value::record([(text, Value::Null)]), Value::text(format!("{text}\n"))]);
        let list = Value::List((0..length as u64).map(Value::UInt).collect());
        for value in [values, list] {
            let mut tree = Tree::new();
            value.emit(&mut tree).expect("a tree takes any value");
            check(&tree, &format!("length {length}"));
        }
    }
}

#[test]
fn a_tree_that_is_no_message_is_an_error() {
    for format in [&json::FORMAT, &cbor::FORMAT, &msgpack::FORMAT] {
        let mut writer = format.writer.expect("a writer")();
        let mut out = Vec::new();
        let mut open = Tree::new();
        open.open(Open::List(Len::Unknown), Span::NONE).unwrap();
        for tree in [Tree::new(), open] {
            assert!(writer.tree(&tree).and_then(|()| writer.finish(&mut out)).is_err(), "{}", format.name);
            writer.reset();
        }
        let mut one = Tree::new();
        Value::UInt(1).emit(&mut one).unwrap();
        writer.tree(&one).unwrap();
        writer.tree(&one).unwrap();
        assert!(writer.finish(&mut out).is_err(), "{}: two values", format.name);
        writer.reset();
        writer.tree(&one).unwrap();
        writer.finish(&mut out).unwrap();
        assert!(out.len() == 1, "{}", format.name);
    }
}
