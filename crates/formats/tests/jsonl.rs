//! JSON Lines: its framing, which is all that it has of its own.

use polywire_core::format::Confidence;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Limits};
use polywire_formats::registry;
use polywire_formats::{json, jsonl};
use polywire_testing::{self as testing, Rng, Shape};

/// The values of a stream, or the first error.
fn values(text: &[u8]) -> Result<Vec<Value>, Error> {
    let mut walker = Walker::new(&jsonl::FORMAT, &Limits::DEFAULT);
    let mut stream = Stream::new(text);
    let mut values = Vec::new();
    while let Some(message) = stream.next(&mut walker)? {
        let mut tree = Tree::new();
        walker.walk(message.bytes, message.base, &mut tree)?;
        values.push(Value::from(tree.root().expect("a value")));
    }
    Ok(values)
}

#[test]
fn a_line_is_a_message() {
    let found = values(b"\xef\xbb\xbf{\"a\":1}\r\n\n \t\r\n [1, 2] \n\"x\"\nnull").unwrap();
    let expected =
        [Value::record([("a", Value::UInt(1))]), Value::List(vec![Value::UInt(1), Value::UInt(2)]), Value::text("x"), Value::Null];
    assert_eq!(found, expected);
    assert!(values(b"").unwrap().is_empty() && values(b"\n \n").unwrap().is_empty());
}

#[test]
fn a_line_holds_one_whole_value() {
    for (text, kind, offset, advice) in [
        (&b"1\n{\"a\":\n1}\n"[..], ErrorKind::Truncated, 7, "a value ends on its line"),
        (b"1\n[1\n,2]\n", ErrorKind::Truncated, 4, "a value ends on its line"),
        (b"{\"a\":\"x\ny\"}", ErrorKind::Truncated, 7, "a value ends on its line"),
        (b"{\"a\":1} {\"b\":2}\n", ErrorKind::Trailing, 8, "a line holds one value"),
        (b"1\n\n[1][2]\n", ErrorKind::Trailing, 6, "a line holds one value"),
        (b"1\n[1,!]\n", ErrorKind::Syntax, 5, ""),
        (b"{\"a\":1,\"a\":2}\n", ErrorKind::DoubledKey, 7, ""),
        (b"1\n\x0c\n", ErrorKind::Syntax, 2, ""),
    ] {
        let error = values(text).expect_err("an error");
        assert_eq!((error.kind(), error.offset(), error.format()), (kind, Some(offset), Some("jsonl")), "{error}");
        assert!(error.advice().starts_with(advice), "{error}");
        assert!(error.path().is_some(), "{error}");
    }
}

#[test]
fn a_message_by_itself_has_no_line_break_within() {
    assert!(testing::read(&jsonl::FORMAT, b"[1]\n").is_ok());
    let error = testing::read(&jsonl::FORMAT, b"[1]\n[2]").expect_err("two lines");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Trailing, Some(3)));
    assert!(testing::read(&jsonl::FORMAT, b"[1,\n2]").is_err());
}

#[test]
fn lines_are_framed_however_they_are_cut() {
    let text = b"\xef\xbb\xbf\n{\"a\":\"}\"}\r\n\r\n [1] \n\n12 true\n\"x";
    let whole = testing::frames(&jsonl::FORMAT, text, &[text.len()]);
    let messages: Vec<&[u8]> = whole.iter().map(|frame| frame.map(|(from, to)| &text[from..to]).unwrap()).collect();
    let expected: [&[u8]; 4] = [b"{\"a\":\"}\"}", b"[1]", b"12 true", b"\"x"];
    assert_eq!(messages, expected);
    for cut in 0..text.len() {
        testing::fuzz_frames(&jsonl::FORMAT, text, cut);
    }
    let bytewise: Vec<usize> = (1..=text.len()).collect();
    assert_eq!(testing::frames(&jsonl::FORMAT, text, &bytewise), whole);
}

#[test]
fn random_values_come_back() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..1000 {
        let value = testing::value(&mut rng, Shape::PLAIN);
        testing::round_trip(&jsonl::FORMAT, &value);
        assert!(!testing::write(&jsonl::FORMAT, &value).unwrap().contains(&b'\n'));
    }
}

/// serde_json reads what is written, line by line.
#[test]
fn another_library_reads_the_lines() {
    let mut rng = Rng::with_seed(2);
    let mut text = Vec::new();
    let mut count = 0;
    for _ in 0..500 {
        text.extend(testing::write(&jsonl::FORMAT, &testing::value(&mut rng, Shape::PLAIN)).unwrap());
        text.extend(jsonl::FORMAT.separator.bytes());
        count += 1;
    }
    let judged = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(serde_json::from_slice::<serde_json::Value>);
    assert_eq!(judged.filter(Result::is_ok).count(), count);
    assert_eq!(values(&text).unwrap().len(), count);
}

#[test]
fn lines_are_told_from_documents() {
    for (text, name) in [
        (&b"{\"a\":1}\n{\"a\":2}\n"[..], "jsonl"),
        (b"[1]\n[2]\n", "jsonl"),
        (b"{\"a\":1}\n", "json"),
        (b"{\"a\":1}{\"a\":2}\n", "json"),
        (b"{\"a\":1} {\"a\":2}\n{}\n", "json"),
        (b"{\n  \"a\": 1\n}\n", "json"),
        (b"[\n  [1],\n  [2]\n]\n", "json"),
        (b"1 2\n3\n", "json"),
    ] {
        assert_eq!(registry::recognise(text, true).map(|format| format.name), Some(name), "{}", String::from_utf8_lossy(text));
    }
    assert!((json::FORMAT.recognise)(b"{\"a\":1}\n{\"a\":2}\n", true) > Confidence::No);
    assert_eq!(registry::unframed(&jsonl::FORMAT).name, "json");
    assert_eq!(registry::unframed(&json::FORMAT).name, "json");
}
